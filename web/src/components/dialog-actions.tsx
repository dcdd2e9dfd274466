import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

interface DialogActionsProps {
  cancel?: string;
  onCancel: () => void;
  /** The buttons after the cancel button. */
  children?: ReactNode;
}

/** The buttons at the end of a dialog. */
export function DialogActions({ cancel = "Cancel", onCancel, children }: DialogActionsProps) {
  return (
    <Group justify="flex-end" gap="xs" mt="md">
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
      {children}
    </Group>
  );
}
