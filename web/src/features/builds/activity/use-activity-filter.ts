// The filter of the activity list, and the rows that match it.
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { createRowGrouper } from "./group-rows";
import { type Filter, isFiltered, matches, NO_FILTER } from "./row-filter";

const SEARCH_DELAY_MS = 150;

/** `visit` is that of the row in the address: visiting a row clears the filter. */
export function useActivityFilter(feed: Feed, visit: number) {
  const events = useFeedState(feed, (state) => state.events);
  const [choice, setChoice] = useState(NO_FILTER);
  const [search, setSearch] = useState("");
  const typed = search.trim().toLowerCase();
  const [text] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  const [group] = useState(createRowGrouper);

  useEffect(() => {
    if (visit === 0) return;
    setChoice(NO_FILTER);
    setSearch("");
  }, [visit]);

  const allRows = useMemo(() => group(events), [group, events]);
  const filter = useMemo<Filter>(() => ({ ...choice, text }), [choice, text]);
  const rows = useMemo(() => allRows.filter((row) => matches(row, filter)), [allRows, filter]);
  return {
    choice,
    onChange: (change: Partial<Filter>) => setChoice({ ...choice, ...change }),
    search,
    onSearch: setSearch,
    filter,
    isFiltered: isFiltered(filter),
    /** Whether text was typed that `filter` does not contain yet. */
    isPending: typed !== text,
    allRows,
    rows,
  };
}
