import { Button, type ButtonProps, Group, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

interface ConfirmButtonProps extends ButtonProps {
  title: string;
  /** What happens, and whether it can be undone. */
  body: ReactNode;
  confirm: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button whose action is confirmed first. */
export function ConfirmButton({
  title,
  body,
  confirm,
  onConfirm,
  children,
  ...button
}: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={open}>
        {children}
      </Button>
      <Modal opened={opened} onClose={close} title={title} centered size="sm" zIndex={320}>
        <Text fz="sm">{body}</Text>
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            onClick={() => {
              close();
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
