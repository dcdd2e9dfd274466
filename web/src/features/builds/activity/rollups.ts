// Rolls up consecutive calls of an agent, and what the engine does in between, into one line that opens.
import type { Row } from "./row";

/** A line that stands for at least two rows. */
export interface Rollup {
  kind: "rollup";
  key: string;
  /** Of its first row. */
  seq: number;
  /** Of its last row. */
  at: string;
  rows: Row[];
}

export type Item = Row | Rollup;

/** A rollup ends at multiples of this event number, so that it stays short and does not depend on which events are loaded. */
const MAX_EVENTS = 200;

/** The items of rows, as a whole. */
export const rollUp = (rows: Row[]): Item[] => createRollups()(rows);

/**
 * Returns a function that rolls up the rows of a window, called with the rows as they change. Items whose rows did
 * not change stay the same objects.
 */
export function createRollups(): (rows: Row[]) => Item[] {
  let rolled: Row[] = [];
  let items: Item[] = [];
  return (rows) => {
    const unchanged = keep(items, firstChange(rolled, rows));
    const dropped = new Map(items.slice(unchanged.length).map((item) => [item.key, item]));
    items = unchanged;
    for (let at = rowCount(unchanged); at < rows.length; ) {
      const end = endOfRollup(rows, at);
      items.push(itemOf(rows.slice(at, end), dropped));
      at = end;
    }
    rolled = rows;
    return items;
  };
}

export const rowsOf = (item: Item): Row[] => (item.kind === "rollup" ? item.rows : [item]);

const rowCount = (items: Item[]) => items.reduce((sum, item) => sum + rowsOf(item).length, 0);

function firstChange(before: Row[], now: Row[]): number {
  const end = Math.min(before.length, now.length);
  let at = 0;
  while (at < end && before[at] === now[at]) at++;
  return at;
}

/** The items that end before the row at `changed`, without the last one: the next row may join it. */
function keep(items: Item[], changed: number): Item[] {
  let count = 0;
  let end = 0;
  for (const item of items) {
    count += rowsOf(item).length;
    if (count >= changed) break;
    end++;
  }
  return items.slice(0, end);
}

function endOfRollup(rows: Row[], start: number): number {
  let end = start + 1;
  while (end < rows.length && isContinued(rows[end - 1] as Row, rows[end] as Row)) end++;
  return end;
}

const isContinued = (before: Row, row: Row) =>
  canRollUp(before) && canRollUp(row) && section(before) === section(row);

/** A call, or a note about the engine's own work. */
const canRollUp = (row: Row) =>
  row.kind === "tool" || (row.kind === "note" && row.internal === true);

const section = ({ seq }: Row) => Math.floor(seq / MAX_EVENTS);

function itemOf(rows: Row[], before: Map<string, Item>): Item {
  const [first, last] = [rows[0] as Row, rows.at(-1) as Row];
  if (first === last) return first;
  const key = `rollup:${first.key}`;
  const known = before.get(key);
  if (known && isSame(rowsOf(known), rows)) return known;
  return { kind: "rollup", key, seq: first.seq, at: last.at, rows };
}

const isSame = (some: Row[], others: Row[]) =>
  some.length === others.length && some.every((row, at) => row === others[at]);
