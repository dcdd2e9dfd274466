import { IconAlertTriangle } from "@tabler/icons-react";
import { memo, useMemo } from "react";
import { ErrorBoundary } from "@/components/error-boundary";
import classes from "./activity.module.css";
import { Line } from "./line";
import { RollupRow } from "./rollup-row";
import type { Item, Rollup } from "./rollups";
import { RowLink } from "./row-time";
import { RowView } from "./row-view";

interface RowFrameProps {
  item: Item;
  /** Whether it is, or contains, the row in the page's address. */
  marked: boolean;
  /** Whether it is in an open rollup. */
  nested?: boolean;
  /** Whether it is an open rollup. */
  opened?: boolean;
  isNewest?: boolean;
  onLink: (seq: number) => void;
  onToggle: (rollup: Rollup, opened: boolean) => void;
}

/** A row that can be linked to and focused. */
export const RowFrame = memo(function RowFrame(props: RowFrameProps) {
  const { item, marked, nested, opened = false, isNewest = false, onLink, onToggle } = props;
  const link = useMemo(() => ({ seq: item.seq, onLink }), [item.seq, onLink]);
  return (
    <div
      className={`focus-inset ${classes.row}`}
      tabIndex={-1}
      data-row={item.key}
      data-nested={nested || undefined}
      data-marked={marked || undefined}
      aria-current={marked ? "location" : undefined}
    >
      <RowLink.Provider value={link}>
        <ErrorBoundary fallback={<UnreadableRow item={item} />}>
          {item.kind === "rollup" ? (
            <RollupRow
              rollup={item}
              opened={opened}
              isNewest={isNewest}
              onToggle={() => onToggle(item, !opened)}
            />
          ) : (
            <RowView row={item} />
          )}
        </ErrorBoundary>
      </RowLink.Provider>
    </div>
  );
});

function UnreadableRow({ item: { seq, at } }: { item: Item }) {
  return (
    <Line icon={<IconAlertTriangle size={16} aria-hidden />} at={at}>
      <span className={classes.quiet}>Event {seq} cannot be displayed.</span>
    </Line>
  );
}
