import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

interface ReadSpecButtonProps {
  label: string;
  icon: ReactNode;
  /** Of the dialog. */
  title: string;
  children: (close: () => void) => ReactNode;
}

/** Opens the dialog of a source of specs. */
export function ReadSpecButton({ label, icon, title, children }: ReadSpecButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" leftSection={icon} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} size="lg">
        {children(close)}
      </Modal>
    </>
  );
}
