import { Text } from "@mantine/core";
import { TimeAgo } from "@/components/time-ago";
import type { ReviewDecided } from "@/lib/api";
import { DecisionBadge } from "./decision-badge";
import classes from "./reviews.module.css";

/** Newest first; the first one counts. */
export function DecisionList({ decisions }: { decisions: ReviewDecided[] }) {
  return (
    <ol className={classes.decisions} aria-label="Decisions, newest first">
      {decisions.map(({ id, decision, reviewer, reason, created_at }, index) => (
        <li key={id} data-past={index > 0 || undefined}>
          <div className={classes.line}>
            <DecisionBadge decision={decision} />
            <Text span fz="xs" c="dimmed">
              {reviewer.name} · <TimeAgo at={created_at} />
              {index > 0 && " · no longer counts"}
            </Text>
          </div>
          <Text fz="sm" className={classes.said}>
            {reason}
          </Text>
        </li>
      ))}
    </ol>
  );
}
