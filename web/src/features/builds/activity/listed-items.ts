// What the list shows: the items that match the filter, with the rows of those that are open.

import { rollupText } from "./rollup-labels";
import type { Item, Rollup } from "./rollups";
import { rowsOf } from "./rollups";
import type { Row } from "./row";
import { type Filter, isFiltered, matches } from "./row-filter";

/** A row of the list: an item, or a row of an open rollup. */
export interface Listed {
  items: Item[];
  /** The keys of rows that are in an open rollup. */
  nested: ReadonlySet<string>;
  opened: ReadonlySet<Rollup>;
}

/** Whether a rollup is open, given its default. */
type IsOpen = (rollup: Rollup, byDefault: boolean) => boolean;

export function listItems(items: Item[], filter: Filter, isOpen: IsOpen): Listed {
  const list: Item[] = [];
  const nested = new Set<string>();
  const opened = new Set<Rollup>();
  for (const item of items) {
    if (item.kind !== "rollup") {
      if (!isFiltered(filter) || matches(item, filter)) list.push(item);
      continue;
    }
    const rows = matchingRows(item, filter);
    if (rows.length === 0) continue;
    list.push(item);
    // Opens for what was searched, unless its title says it.
    if (!isOpen(item, filter.text !== "" && !isInTitle(item, filter))) continue;
    opened.add(item);
    for (const row of rows) {
      list.push(row);
      nested.add(row.key);
    }
  }
  return { items: list, nested, opened };
}

/** A single row that matches is shown without the others; if only the title matches, all rows are. */
function matchingRows(rollup: Rollup, filter: Filter): Row[] {
  if (!isFiltered(filter)) return rollup.rows;
  const rows = rollup.rows.filter((row) => matches(row, filter));
  if (rows.length > 0 || filter.text === "" || !isInTitle(rollup, filter)) return rows;
  return rollup.rows.filter((row) => matches(row, { ...filter, text: "" }));
}

const titles = new WeakMap<Rollup, string>();

function isInTitle(rollup: Rollup, { text }: Filter): boolean {
  let title = titles.get(rollup);
  if (title === undefined) {
    title = rollupText(rollup);
    titles.set(rollup, title);
  }
  return text !== "" && title.includes(text.replace(/\s+/g, " "));
}

export const containsRow = (item: Item, key: string | undefined) =>
  rowsOf(item).some((row) => row.key === key);

/** The index of the listed item with event `seq`: the most specific one. */
export const itemAt = ({ items }: Listed, seq: number) =>
  items.findLastIndex((item) => item.seq <= seq);
