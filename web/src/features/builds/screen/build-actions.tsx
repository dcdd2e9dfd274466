import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useState } from "react";
import { ConfirmModal } from "@/components/confirm-modal";
import { useActions } from "@/domain/actions";
import { isLimit } from "@/domain/block-reasons";
import { isFinal } from "@/domain/build-status";
import type { Build } from "@/lib/api";
import { isStatus, messageOf } from "@/lib/api-error";
import { notifyFailed } from "@/lib/notify";
import { type BuildCommand, useBuildCommand, useGateChanges } from "../api";
import { AddBudgetDialog, type AddedBudget } from "./add-budget-dialog";
import classes from "./build-header.module.css";
import { GateChangeList } from "./gate-change-list";

/** Only an icon on narrow screens; the label is kept for screen readers. */
const SHORT = {
  root: classes.action,
  section: classes.actionIcon,
  label: "visually-hidden-on-phones",
};

const PAUSABLE = ["queued", "running", "awaiting_input", "retrying"];

/** The commands that are available in the build's status. */
export function BuildActions({ build }: { build: Build }) {
  const command = useBuildCommand(build.id);
  const run = (order: BuildCommand) =>
    command.mutate(order, { onError: (error) => notifyFailed("The command failed", error) });
  const [cancelOpened, cancelDialog] = useDisclosure(false);
  const pausable = PAUSABLE.includes(build.status);
  const cancellable = !isFinal(build.status);
  const outOfBudget = build.status === "blocked" && isLimit(build.blocked_reason);
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
  const gates = useGateChanges(build.id, resumable);
  const [gatesOpened, gatesDialog] = useDisclosure(false);
  const changes = gates.data ?? [];
  async function onResume() {
    // The settings may have been edited a moment ago. The server names changes in the journal too.
    const { data } = await gates.refetch();
    if (outOfBudget) budget.open();
    else if (data?.length) gatesDialog.open();
    else resume();
  }
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
          loading={gates.isFetching || (command.isPending && command.variables.name === "resume")}
          onClick={onResume}
        >
          {outOfBudget ? "Raise limit" : "Resume"}
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
      >
        <GateChangeList changes={changes} />
      </AddBudgetDialog>
      <ConfirmModal
        opened={gatesOpened}
        onClose={gatesDialog.close}
        title="Resume with changed gates?"
        body={<GateChangeList changes={changes} />}
        confirm="Resume"
        color="indigo"
        onConfirm={() => resume()}
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
