import { IconAlertTriangle } from "@tabler/icons-react";
import { memo, useMemo } from "react";
import { ErrorBoundary } from "@/components/error-boundary";
import classes from "./activity.module.css";
import { Line } from "./line";
import type { Row } from "./row";
import { RowLink } from "./row-time";
import { RowView } from "./row-view";

interface RowFrameProps {
  row: Row;
  /** Whether it is the row in the page's address. */
  marked: boolean;
  onLink: (seq: number) => void;
}

/** A row that can be linked to and focused. */
export const RowFrame = memo(function RowFrame({ row, marked, onLink }: RowFrameProps) {
  const link = useMemo(() => ({ seq: row.seq, onLink }), [row.seq, onLink]);
  return (
    <div
      className={`focus-inset ${classes.row}`}
      tabIndex={-1}
      data-row={row.key}
      data-marked={marked || undefined}
      aria-current={marked ? "location" : undefined}
    >
      <RowLink.Provider value={link}>
        <ErrorBoundary fallback={<UnreadableRow row={row} />}>
          <RowView row={row} />
        </ErrorBoundary>
      </RowLink.Provider>
    </div>
  );
});

function UnreadableRow({ row: { seq, at } }: { row: Row }) {
  return (
    <Line icon={<IconAlertTriangle size={16} aria-hidden />} at={at}>
      <span className={classes.quiet}>Event {seq} cannot be displayed.</span>
    </Line>
  );
}
