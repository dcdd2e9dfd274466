import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { formatCount } from "@/lib/format";
import type { BacklogItem, ItemState } from "./api";
import classes from "./board.module.css";
import { STATE_LABELS, STATES } from "./item-labels";

interface BoardProps {
  items: BacklogItem[];
  /** The list elements of a column. */
  children: (items: BacklogItem[], state: ItemState) => ReactNode;
}

/** The items in columns, by what is to be done with them. */
export function Board({ items, children }: BoardProps) {
  return (
    <div className={classes.board}>
      {STATES.map((state) => (
        <Column key={state} state={state} items={items.filter((item) => item.state === state)}>
          {children}
        </Column>
      ))}
    </div>
  );
}

interface ColumnProps extends BoardProps {
  state: ItemState;
}

function Column({ state, items, children }: ColumnProps) {
  const label = STATE_LABELS[state];
  return (
    <section aria-label={label}>
      <Group gap="xs" mb="xs" align="baseline">
        <Title order={2} fz="md">
          {label}
        </Title>
        <Text span fz="sm" c="dimmed" className="tabular">
          {formatCount(items.length)}
        </Text>
      </Group>
      {items.length > 0 && (
        <ul className={`plain-list ${classes.list}`} aria-label={label}>
          {children(items, state)}
        </ul>
      )}
    </section>
  );
}
