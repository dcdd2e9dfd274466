import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { FormModal } from "@/components/form-modal";
import { messageOf } from "@/lib/api-error";
import { KeyLife } from "../key-life";
import { type ChosenScope, KeyScopes } from "../key-scopes";
import { useCreateForgeKey } from "./api";

/** Asks for a name, then shows the key, which cannot be displayed again. */
export function NewForgeKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreateForgeKey();
  const [name, setName] = useState("");
  const [life, setLife] = useState<number | null>(null);
  const [scopes, setScopes] = useState<ChosenScope[] | null>(null);
  const close = () => {
    onClose();
    setName("");
    setLife(null);
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
            if (name.trim()) create.mutate({ name: name.trim(), expires_in_days: life, scopes });
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
            <KeyLife label="Expires" value={life} onChange={setLife} />
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
