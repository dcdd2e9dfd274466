import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

export interface SpecSourceProps {
  projectId: string;
  onRead: (text: string) => void;
}

interface ReadSpecButtonProps {
  label: string;
  icon: ReactNode;
  /** Of the dialog. */
  title: string;
  onRead: (text: string) => void;
  /** The form in the dialog, which closes when it has read a text. */
  children: (form: { onRead: (text: string) => void; onClose: () => void }) => ReactNode;
}

/** Opens the dialog of a source of specs. */
export function ReadSpecButton({ label, icon, title, onRead, children }: ReadSpecButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const read = (text: string) => {
    onRead(text);
    close();
  };
  return (
    <>
      <Button variant="default" size="xs" leftSection={icon} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} size="lg">
        {children({ onRead: read, onClose: close })}
      </Modal>
    </>
  );
}
