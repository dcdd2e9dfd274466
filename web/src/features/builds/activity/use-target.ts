// The event in the page's address: `#42`.
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { notifyFailed } from "@/lib/notify";

export const seqIn = (hash: string): number | null =>
  /^#\d{1,15}$/.test(hash) ? Number(hash.slice(1)) : null;

export interface Target {
  /** Null if the address names no event. */
  seq: number | null;
  /** Whether the event was already visible when it was linked. */
  stays: boolean;
  /** Increases every time the list must scroll to the event. */
  visit: number;
  seeking: boolean;
}

/** Moves the feed's window to the event in the address. */
export function useTarget(feed: Feed): Target {
  const { hash, state, key } = useLocation();
  // Addresses that are typed in have the same key.
  const place = key + hash;
  const open = useFeedState(feed, ({ phase }) => phase === "open");
  const seq = seqIn(hash);
  // Set by links of rows that are already visible.
  const stays = (state as { stays?: boolean } | null)?.stays === true;
  const [reached, setReached] = useState({ place: "", visit: 0 });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit of an address
  useEffect(() => {
    if (!open || seq === null || stays) return;
    let left = false;
    const arrive = () => !left && setReached(({ visit }) => ({ place, visit: visit + 1 }));
    feed
      .show(seq)
      .then((there) => {
        if (!there && !left)
          notifyFailed("Event not found", new Error(`Event ${seq} does not exist.`));
      })
      .catch((error) => notifyFailed("Could not load the event", error))
      .finally(arrive);
    return () => {
      left = true;
    };
  }, [feed, open, place]);

  return {
    seq,
    stays,
    visit: reached.visit,
    seeking: seq !== null && !stays && reached.place !== place,
  };
}
