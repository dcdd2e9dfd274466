// The filter of the activity list, and what it shows.
import { useDebouncedValue } from "@mantine/hooks";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { type ExpandedRows, isExpanded, setExpanded } from "./expanded-rows";
import { createRowGrouper, rowAt } from "./group-rows";
import { containsRow, listItems } from "./listed-items";
import { createRollups, type Rollup } from "./rollups";
import { type Filter, isFiltered, NO_FILTER } from "./row-filter";
import { useFilterInAddress } from "./use-filter-in-address";
import type { Target } from "./use-target";

const SEARCH_DELAY_MS = 150;

/** Visiting the row in the address clears the filter, and opens the rollup that contains the row. */
export function useActivityFilter(feed: Feed, target: Target, expandedRows: ExpandedRows) {
  const { visit } = target;
  const events = useFeedState(feed, (state) => state.events);
  const [kept, keep] = useFilterInAddress();
  const [choice, setChoice] = useState(kept);
  const [search, setSearch] = useState(kept.text);
  const typed = search.trim().toLowerCase();
  const [text] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  const [group] = useState(createRowGrouper);
  const [rollUp] = useState(createRollups);
  const expanded = useStore(expandedRows);

  useEffect(() => {
    if (visit === 0) return;
    setChoice(NO_FILTER);
    setSearch("");
  }, [visit]);

  const allRows = useMemo(() => group(events), [group, events]);
  const filter = useMemo<Filter>(() => ({ ...choice, text }), [choice, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the filter changes
  useEffect(() => keep(filter), [filter]);
  const rolledUp = useMemo(() => rollUp(allRows), [rollUp, allRows]);
  const marked = target.seq === null ? undefined : allRows[rowAt(allRows, target.seq)]?.key;
  const [visitedSeq, setVisitedSeq] = useState<number | null>(null);
  if (!target.stays && target.seq !== visitedSeq) setVisitedSeq(target.seq);
  const visited = visitedSeq === null ? undefined : allRows[rowAt(allRows, visitedSeq)]?.key;
  const keyOf = useCallback(
    (rollup: Rollup) => expandedKey(rollup, filter.text, isVisited(rollup, visited) ? visit : 0),
    [filter.text, visited, visit],
  );
  const onToggle = useCallback(
    (rollup: Rollup, opened: boolean) => setExpanded(expandedRows, keyOf(rollup), opened),
    [expandedRows, keyOf],
  );
  const listed = useMemo(
    () =>
      listItems(rolledUp, filter, (rollup, isFound) =>
        isExpanded(expanded, keyOf(rollup), isFound || isVisited(rollup, visited)),
      ),
    [rolledUp, filter, expanded, keyOf, visited],
  );
  return {
    choice,
    onChange: (change: Partial<Filter>) => setChoice({ ...choice, ...change }),
    search,
    onSearch: setSearch,
    filter,
    isFiltered: isFiltered(filter),
    /** Whether text was typed that `filter` does not contain yet. */
    isPending: typed !== text,
    listed,
    marked,
    onToggle,
  };
}

const isVisited = (rollup: Rollup, key: string | undefined) =>
  key !== undefined && containsRow(rollup, key);

/** What was closed opens again for another search, and for another visit of a row in it. */
const expandedKey = ({ key }: Rollup, text: string, visit: number) => `${key} ${visit} ${text}`;
