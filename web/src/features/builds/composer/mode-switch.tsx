import { ActionIcon, Group, Popover, SegmentedControl, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import type { ComposerMode } from "./use-composer-draft";

interface ModeSwitchProps {
  mode: ComposerMode;
  onMode: (mode: ComposerMode) => void;
  /** Whether messages can still be sent. */
  isFinished: boolean;
  /** Why questions cannot be asked. */
  unavailableReason: string | null;
}

/** Separates messages to the agents from questions about the build. */
export function ModeSwitch({ mode, onMode, isFinished, unavailableReason }: ModeSwitchProps) {
  return (
    <Group gap={6} px="0.75rem" pt="0.5rem">
      <SegmentedControl
        aria-label="Send to"
        size="xs"
        value={mode}
        onChange={(value) => onMode(value === "question" ? "question" : "message")}
        data={[
          { value: "message", label: "Message the builder", disabled: isFinished },
          {
            value: "question",
            label: "Ask about the build",
            disabled: unavailableReason !== null,
          },
        ]}
      />
      {unavailableReason && (
        <Popover width={300} position="top" shadow="md" withArrow>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              aria-label="Why questions are not available"
            >
              <IconInfoCircle size={16} aria-hidden />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <Text fz="sm">{unavailableReason}</Text>
          </Popover.Dropdown>
        </Popover>
      )}
    </Group>
  );
}
