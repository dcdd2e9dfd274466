import { Loader } from "@mantine/core";
import { IconCheck, IconPointFilled, IconX } from "@tabler/icons-react";
import { ChangeCounts } from "@/components/change-counts";
import { DisclosureButton } from "@/components/disclosure";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import { newestCall, rollupFacts, rollupTitle } from "./rollup-labels";
import type { Rollup } from "./rollups";

interface RollupRowProps {
  rollup: Rollup;
  opened: boolean;
  /** Whether it is the last row, which shows the call that the agent made last. */
  isNewest: boolean;
  onToggle: () => void;
}

/** One line for several rows, which follow it in the list while it is open. */
export function RollupRow({ rollup, opened, isNewest, onToggle }: RollupRowProps) {
  const { insertions, deletions, failed, lastFailed, running } = rollupFacts(rollup);
  const call = isNewest && !opened ? newestCall(rollup) : null;
  const isCalls = rollup.rows.some(({ kind }) => kind === "tool");
  return (
    <Line
      icon={<RollupIcon isCalls={isCalls} running={running} failed={lastFailed} />}
      at={rollup.at}
    >
      <DisclosureButton className={classes.summary} opened={opened} onToggle={onToggle}>
        <span className={classes.summaryText}>
          <span className={isCalls ? classes.words : classes.quiet}>{rollupTitle(rollup)}</span>
          {(insertions > 0 || deletions > 0) && (
            <span className={classes.faint}>
              <ChangeCounts insertions={insertions} deletions={deletions} />
            </span>
          )}
          {failed > 0 && (
            <span className={classes.faint} style={{ color: toneText("bad") }}>
              {failed} failed
            </span>
          )}
          {call && (
            <span className={classes.newest}>
              {call.verb} {call.subject}
            </span>
          )}
        </span>
      </DisclosureButton>
    </Line>
  );
}

interface RollupIconProps {
  isCalls: boolean;
  running: boolean;
  /** Whether the last call failed. */
  failed: boolean;
}

function RollupIcon({ isCalls, running, failed }: RollupIconProps) {
  if (running) return <Loader size={12} aria-label="Running" />;
  if (!isCalls) {
    return <IconPointFilled size={10} color="var(--mantine-color-dimmed)" aria-hidden />;
  }
  // Each failed call is shown with its own icon when the line is open.
  const Icon = failed ? IconX : IconCheck;
  return <Icon size={14} color={toneText(failed ? "bad" : "good")} aria-hidden />;
}
