import { ActionIcon, Tooltip } from "@mantine/core";
import type { IconLayoutSidebar } from "@tabler/icons-react";

interface PaneButtonProps {
  label: string;
  icon: typeof IconLayoutSidebar;
  shown: boolean;
  onToggle: (shown: boolean) => void;
}

/** Shows or hides a pane. */
export function PaneButton({ label, icon: Icon, shown, onToggle }: PaneButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={label}
        aria-expanded={shown}
        onClick={() => onToggle(!shown)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
