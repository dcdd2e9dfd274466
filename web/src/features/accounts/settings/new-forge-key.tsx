import { Alert, Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { FormModal } from "@/components/form-modal";
import { messageOf } from "@/lib/api-error";
import { useCreateForgeKey } from "./api";
import { type ChosenScope, KeyScopes } from "./key-scopes";

const NEVER = "never";
const LIVES = [
  { value: NEVER, label: "Never" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "365", label: "1 year" },
];

/** Asks for a name, then shows the key, which cannot be displayed again. */
export function NewForgeKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreateForgeKey();
  const [name, setName] = useState("");
  const [life, setLife] = useState(NEVER);
  const [scopes, setScopes] = useState<ChosenScope[] | null>(null);
  const close = () => {
    onClose();
    setName("");
    setLife(NEVER);
    setScopes(null);
    create.reset();
  };
  return (
    <FormModal
      opened={opened}
      onClose={close}
      title={create.data ? "Your new key" : "New forge key"}
      centered
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <Stack>
          <Alert color="yellow" p="sm" role="status">
            Copy this key now. It will not be shown again.
          </Alert>
          <CommandLineBlock command={create.data.key} what="forge key" />
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const expires_in_days = life === NEVER ? null : Number(life);
            if (name.trim()) create.mutate({ name: name.trim(), expires_in_days, scopes });
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              description="What the key is for, such as “laptop” or “CI”"
              value={name}
              maxLength={80}
              onChange={(event) => setName(event.currentTarget.value)}
              error={create.isError && messageOf(create.error)}
              data-autofocus
            />
            <Select
              label="Expires"
              data={LIVES}
              value={life}
              onChange={(value) => setLife(value ?? NEVER)}
              allowDeselect={false}
            />
            <KeyScopes value={scopes} onChange={setScopes} />
            <DialogActions onCancel={close}>
              <Button type="submit" disabled={!name.trim()} loading={create.isPending}>
                Create key
              </Button>
            </DialogActions>
          </Stack>
        </form>
      )}
    </FormModal>
  );
}
