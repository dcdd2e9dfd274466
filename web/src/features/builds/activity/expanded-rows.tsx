import { createContext, useContext } from "react";
import { createStore, type StoreApi, useStore } from "zustand";
import type { Feed } from "@/domain/feed/feed-store";

interface ExpandedState {
  byKey: ReadonlyMap<string, boolean>;
  /** Applies to all rows that are not in `byKey`; null means each row's default. */
  all: boolean | null;
}

/** Which rows are open. Kept outside the rows, which unmount while scrolling. */
export type ExpandedRows = StoreApi<ExpandedState>;

export const createExpandedRows = (all: boolean | null = null): ExpandedRows =>
  createStore<ExpandedState>(() => ({ byKey: new Map(), all }));

export const ExpandedRowsContext = createContext(createExpandedRows());

const ofFeeds = new WeakMap<Feed, ExpandedRows>();

/** The open rows of a feed, which are remembered while the page of its build is shown. */
export function expandedRowsOf(feed: Feed): ExpandedRows {
  const rows = ofFeeds.get(feed) ?? createExpandedRows();
  ofFeeds.set(feed, rows);
  return rows;
}

export const setAllExpanded = (rows: ExpandedRows, all: boolean) =>
  rows.setState({ all, byKey: new Map() });

export const setExpanded = (rows: ExpandedRows, key: string, opened: boolean) =>
  rows.setState(({ byKey }) => ({ byKey: new Map(byKey).set(key, opened) }));

export const isExpanded = ({ byKey, all }: ExpandedState, key: string, byDefault: boolean) =>
  byKey.get(key) ?? all ?? byDefault;

export function useExpandedRow(key: string, byDefault: boolean): [boolean, () => void] {
  const rows = useContext(ExpandedRowsContext);
  const opened = useStore(rows, (state) => isExpanded(state, key, byDefault));
  return [opened, () => setExpanded(rows, key, !opened)];
}
