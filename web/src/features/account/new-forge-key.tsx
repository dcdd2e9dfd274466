import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import { messageOf } from "@/lib/problem";
import { useCreateForgeKey } from "./api";

/** Asks for a name, then shows the key this one time. */
export function NewForgeKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreateForgeKey();
  const [name, setName] = useState("");
  const close = () => {
    onClose();
    setName("");
    create.reset();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={create.data ? "Your new key" : "New forge key"}
      centered
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <Stack>
          <Alert color="yellow" p="sm" role="status">
            Copy it now. For safety it is never shown again.
          </Alert>
          <CommandLineBlock command={create.data.key} what="forge key" />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim()) create.mutate(name.trim());
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              description="What will use it, such as “laptop” or “CI”"
              value={name}
              maxLength={80}
              onChange={(event) => setName(event.currentTarget.value)}
              error={create.isError && messageOf(create.error)}
              data-autofocus
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" disabled={!name.trim()} loading={create.isPending}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
