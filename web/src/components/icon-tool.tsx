import { ActionIcon, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";

interface IconToolProps {
  /** What it does, with its key in brackets: `Next change (n)`. */
  label: string;
  /** The id of the panel that it opens, and whether that is open. */
  opens?: { id: string; opened: boolean };
  loading?: boolean;
  onClick: () => void;
  /** The icon. */
  children: ReactNode;
}

/** A small toolbar button, labelled by its tooltip. */
export function IconTool({ label, opens, loading, onClick, children }: IconToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={opens?.opened ? "light" : "subtle"}
        color={opens?.opened ? undefined : "gray"}
        aria-label={label.replace(/ \(.*\)$/, "")}
        aria-expanded={opens?.opened}
        aria-controls={opens?.id}
        loading={loading}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
