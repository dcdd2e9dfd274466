import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { ConfirmModal } from "@/components/confirm-modal";
import { useActions } from "@/lib/actions";
import type { Build } from "@/lib/api";
import { isFinal } from "@/lib/build-status";
import { notifyFailed } from "@/lib/notify";
import { type BuildCommand, useBuildCommand } from "./api";
import classes from "./build-header.module.css";
import { ResumeWithMore } from "./resume-with-more";

/** On a narrow page an icon alone; its word stays for screen readers. */
const SHORT = { root: classes.action, section: classes.actionIcon, label: classes.actionWord };

const PAUSABLE = ["queued", "running", "awaiting_input", "retrying"];

/** The commands that fit the build's status. */
export function BuildActions({ build }: { build: Build }) {
  const command = useBuildCommand(build.id);
  const give = (order: BuildCommand) =>
    command.mutate(order, { onError: (error) => notifyFailed("That did not work", error) });
  const [asked, ask] = useDisclosure(false);
  const pausable = PAUSABLE.includes(build.status);
  const cancellable = !isFinal(build.status) && build.status !== "sealing";
  useActions([
    pausable && { name: "pause", run: () => give({ name: "pause" }) },
    build.status === "paused" && { name: "resume", run: () => give({ name: "resume" }) },
    cancellable && { name: "cancel", run: ask.open },
  ]);
  if (isFinal(build.status)) return null;
  return (
    <>
      {pausable && (
        <Button
          variant="default"
          size="xs"
          classNames={SHORT}
          leftSection={<IconPlayerPause size={14} aria-hidden />}
          loading={command.isPending && command.variables.name === "pause"}
          onClick={() => give({ name: "pause" })}
        >
          Pause
        </Button>
      )}
      {build.status === "paused" && (
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={command.isPending && command.variables.name === "resume"}
          onClick={() => give({ name: "resume" })}
        >
          Resume
        </Button>
      )}
      {build.status === "blocked" && (
        <ResumeWithMore onResume={(add) => give({ name: "resume", add })} />
      )}
      {cancellable && (
        <Button
          variant="default"
          size="xs"
          classNames={SHORT}
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          onClick={ask.open}
        >
          Cancel
        </Button>
      )}
      <ConfirmModal
        opened={asked}
        onClose={ask.close}
        title="Cancel this build?"
        body="It ends within seconds and cannot be resumed. Its branch and its journal stay."
        confirm="Cancel the build"
        onConfirm={() => give({ name: "cancel" })}
      />
    </>
  );
}
