import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { ConfirmModal } from "./confirm-modal";

interface ConfirmButtonProps extends ButtonProps {
  title: string;
  /** What happens, and whether it can be undone. */
  body: ReactNode;
  confirm: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button that asks for confirmation first. */
export function ConfirmButton({
  title,
  body,
  confirm,
  onConfirm,
  children,
  ...button
}: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const asked = { title, body, confirm, onConfirm };
  return (
    <>
      <Button {...button} onClick={open}>
        {children}
      </Button>
      <ConfirmModal opened={opened} onClose={close} {...asked} />
    </>
  );
}
