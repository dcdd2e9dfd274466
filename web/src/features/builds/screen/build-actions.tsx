import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useState } from "react";
import { ConfirmModal } from "@/components/confirm-modal";
import { useActions } from "@/domain/actions";
import { isFinal } from "@/domain/build-status";
import type { Build } from "@/lib/api";
import { isStatus, messageOf } from "@/lib/api-error";
import { notifyFailed } from "@/lib/notify";
import { type BuildCommand, useBuildCommand } from "../api";
import { AddBudgetDialog, type AddedBudget } from "./add-budget-dialog";
import classes from "./build-header.module.css";

/** Only an icon on narrow screens; the label is kept for screen readers. */
const SHORT = {
  root: classes.action,
  section: classes.actionIcon,
  label: "visually-hidden-on-phones",
};

/** Reasons that a larger budget resolves. */
const LIMITS = ["iterations", "minutes", "tokens", "usd"];

const PAUSABLE = ["queued", "running", "awaiting_input", "retrying"];

/** The commands that are available in the build's status. */
export function BuildActions({ build }: { build: Build }) {
  const command = useBuildCommand(build.id);
  const run = (order: BuildCommand) =>
    command.mutate(order, { onError: (error) => notifyFailed("The command failed", error) });
  const [cancelOpened, cancelDialog] = useDisclosure(false);
  const pausable = PAUSABLE.includes(build.status);
  const cancellable = !isFinal(build.status);
  const outOfBudget = build.status === "blocked" && LIMITS.includes(build.blocked_reason ?? "");
  const resumable = build.status === "paused" || build.status === "blocked";
  const [budgetOpened, budget] = useDisclosure(false);
  const [rejection, setRejection] = useState<string | null>(null);

  function resume(add?: AddedBudget) {
    command.mutate(
      { name: "resume", add },
      {
        onSuccess: budget.close,
        onError(error) {
          // A build that is blocked for another reason may have exhausted a limit as well.
          if (build.status !== "blocked" || !isStatus(error, 409))
            return notifyFailed("The command failed", error);
          setRejection(messageOf(error));
          budget.open();
        },
      },
    );
  }
  const onResume = () => (outOfBudget ? budget.open() : resume());
  useActions([
    pausable && { name: "pause", run: () => run({ name: "pause" }) },
    resumable && { name: "resume", run: onResume },
    cancellable && { name: "cancel", run: cancelDialog.open },
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
          onClick={() => run({ name: "pause" })}
        >
          Pause
        </Button>
      )}
      {resumable && (
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={command.isPending && command.variables.name === "resume"}
          onClick={onResume}
        >
          Resume
        </Button>
      )}
      {cancellable && (
        <Button
          variant="default"
          size="xs"
          classNames={SHORT}
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          onClick={cancelDialog.open}
        >
          Cancel
        </Button>
      )}
      <AddBudgetDialog
        opened={budgetOpened}
        reason={build.blocked_reason}
        rejection={rejection}
        onClose={budget.close}
        onResume={resume}
      />
      <ConfirmModal
        opened={cancelOpened}
        onClose={cancelDialog.close}
        title="Cancel this build?"
        body="The build stops within seconds and cannot be resumed. Its branch and journal are kept."
        confirm="Cancel build"
        dismiss="Keep running"
        onConfirm={() => run({ name: "cancel" })}
      />
    </>
  );
}
