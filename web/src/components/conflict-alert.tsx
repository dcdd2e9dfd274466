import { Alert, type AlertProps, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ConfirmButton } from "./confirm-button";

interface ConflictAlertProps extends Pick<AlertProps, "mt" | "mb"> {
  title: string;
  hint: string;
  /** The versions, if they are not shown elsewhere. */
  children?: ReactNode;
  actions: ReactNode;
}

/** Lets the user choose between changes of this page and those made elsewhere. */
export function ConflictAlert({ title, hint, children, actions, ...margins }: ConflictAlertProps) {
  return (
    <Alert color="yellow" role="alert" p="sm" {...margins} title={title}>
      <Text fz="sm">{hint}</Text>
      {children}
      <Group gap="xs" mt="sm">
        {actions}
      </Group>
    </Alert>
  );
}

interface VersionActionsProps {
  /** Such as “version 4”. */
  other: string;
  onKeepMine: () => void;
  onUseOther: () => void;
}

/** For texts that cannot be merged: one version replaces the other. */
export function VersionActions({ other, onKeepMine, onUseOther }: VersionActionsProps) {
  return (
    <>
      <Button size="xs" onClick={onKeepMine}>
        Keep my version
      </Button>
      <ConfirmButton
        size="xs"
        variant="default"
        title="Use other version?"
        body={`Your unsaved changes will be replaced by ${other}.`}
        confirm="Use other version"
        onConfirm={onUseOther}
      >
        Use other version
      </ConfirmButton>
    </>
  );
}
