// Loads earlier events until one of them matches the filter.
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Feed } from "@/domain/feed/feed-store";
import type { Filter } from "./row-filter";
import { searchEarlier } from "./search-earlier";

interface EarlierSearchOptions {
  feed: Feed;
  filter: Filter;
  /** Whether the filter is about to change. */
  isPending: boolean;
  visit: number;
  onStart: () => void;
}

export function useEarlierSearch({
  feed,
  filter,
  isPending,
  visit,
  onStart,
}: EarlierSearchOptions) {
  const [searching, setSearching] = useState(false);
  const wanted = useRef<Filter | null>(null);
  /** A search was requested while the filter was about to change. */
  const isQueued = useRef(false);

  async function search() {
    isQueued.current = isPending;
    if (isPending) return;
    onStart();
    setSearching(true);
    try {
      await searchEarlier(feed, filter, () => wanted.current === filter);
    } finally {
      if (wanted.current === filter) setSearching(false);
    }
  }

  const onFilterChange = useEffectEvent(() => {
    setSearching(false);
    if (isQueued.current) void search();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a visit ends the search too
  useEffect(() => {
    wanted.current = filter;
    onFilterChange();
    return () => {
      wanted.current = null;
    };
  }, [filter, visit]);

  return { searching, search: () => void search() };
}
