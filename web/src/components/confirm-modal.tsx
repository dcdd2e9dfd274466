import { Button, Group, Modal, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface ConfirmModalProps {
  opened: boolean;
  title: string;
  /** What happens, and whether it can be undone. */
  body: ReactNode;
  confirm: string;
  /** The label of the button that closes the dialog. */
  dismiss?: string;
  /** Red is for irreversible actions. */
  color?: string;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmModal({
  opened,
  title,
  body,
  confirm,
  dismiss = "Cancel",
  color = "red",
  onConfirm,
  onClose,
}: ConfirmModalProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered size="sm" zIndex={320}>
      <Text component="div" fz="sm">
        {body}
      </Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {dismiss}
        </Button>
        <Button
          color={color}
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}
