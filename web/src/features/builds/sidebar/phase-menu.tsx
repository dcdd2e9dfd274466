import { ActionIcon, Checkbox, Menu, Text } from "@mantine/core";
import { IconDots, IconPlayerSkipForward, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { phaseObstacle } from "@/domain/build-phases";
import { isFinal } from "@/domain/build-status";
import type { Build, BuildPhase } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { type BuildCommand, useBuildCommand } from "../api";
import { ReasonDialog } from "../reason-dialog";

interface PhaseMenuProps {
  build: Build;
  /** The current one. */
  phase: BuildPhase;
}

/** Begins the current phase again, or leaves it out. */
export function PhaseMenu({ build, phase }: PhaseMenuProps) {
  const [opened, setOpened] = useState<"retry" | "skip" | null>(null);
  const [discards, setDiscards] = useState(true);
  const command = useBuildCommand(build.id);
  const obstacle = phaseObstacle(build);
  const { number } = phase;
  const close = () => setOpened(null);
  const send = (order: BuildCommand) =>
    command.mutateAsync(order).catch((error) => {
      notifyFailed("The command failed", error);
      throw error;
    });
  if (isFinal(build.status)) return null;
  return (
    <OwnerOnly>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            size={24}
            ml="auto"
            aria-label={`Actions for phase ${number}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {obstacle && <Menu.Label>{obstacle}</Menu.Label>}
          <Menu.Item
            leftSection={<IconRefresh size={14} aria-hidden />}
            disabled={obstacle !== null || phase.status === "pending"}
            onClick={() => setOpened("retry")}
          >
            Retry phase…
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlayerSkipForward size={14} aria-hidden />}
            disabled={obstacle !== null}
            onClick={() => setOpened("skip")}
          >
            Skip phase…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ReasonDialog
        opened={opened === "retry"}
        title={`Retry phase ${number}`}
        label="Why does it have to begin again?"
        description="Passed to the agents, and kept in the journal."
        send="Retry phase"
        onSend={(reason) =>
          send({ name: "retry-phase", phase: number, reason, discard_changes: discards })
        }
        onClose={close}
      >
        <Checkbox
          mb="md"
          label="Discard the changes of this phase"
          description="Uncommitted changes are saved in the repository first."
          checked={discards}
          onChange={(event) => setDiscards(event.currentTarget.checked)}
        />
      </ReasonDialog>
      <ReasonDialog
        opened={opened === "skip"}
        title={`Skip phase ${number}`}
        label="Why is it not needed?"
        send="Skip phase"
        onSend={(reason) => send({ name: "skip-phase", phase: number, reason })}
        onClose={close}
      >
        <Text fz="sm" mb="md">
          The build continues with the next phase. Its uncommitted changes are saved in the
          repository and discarded. A build with a skipped phase is never certified.
        </Text>
      </ReasonDialog>
    </OwnerOnly>
  );
}
