import { memo, useMemo } from "react";
import classes from "./activity.module.css";
import type { Row } from "./row";
import { RowLink } from "./row-time";
import { RowView } from "./row-view";

interface RowFrameProps {
  row: Row;
  /** Whether the page's address points to it. */
  marked: boolean;
  onLink: (seq: number) => void;
}

/** A row that can be pointed to, by an address and by the keyboard. */
export const RowFrame = memo(function RowFrame({ row, marked, onLink }: RowFrameProps) {
  const link = useMemo(() => ({ seq: row.seq, onLink }), [row.seq, onLink]);
  return (
    <div
      className={classes.row}
      tabIndex={-1}
      data-row={row.key}
      data-marked={marked || undefined}
      aria-current={marked ? "location" : undefined}
    >
      <RowLink.Provider value={link}>
        <RowView row={row} />
      </RowLink.Provider>
    </div>
  );
});
