// The event that the page's address points to: `#42`.
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import type { Feed } from "@/lib/feed/feed-store";
import { useFeedState } from "@/lib/feed/use-build-feed";
import { notifyFailed } from "@/lib/notify";

export const seqIn = (hash: string): number | null =>
  /^#\d{1,15}$/.test(hash) ? Number(hash.slice(1)) : null;

interface Target {
  /** Null where the address points to nothing. */
  seq: number | null;
  /** Grows with every time that the list must go there. */
  visit: number;
  seeking: boolean;
}

/** Brings the feed to where the address points. */
export function useTarget(feed: Feed): Target {
  const { hash, state, key } = useLocation();
  // An address that was typed has the same key each time.
  const place = key + hash;
  const open = useFeedState(feed, ({ phase }) => phase === "open");
  const asked = seqIn(hash);
  // Who is there already only wants the address.
  const stays = (state as { stays?: boolean } | null)?.stays === true;
  const [reached, setReached] = useState({ place: "", visit: 0 });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit of an address
  useEffect(() => {
    if (!open || asked === null || stays) return;
    let left = false;
    const arrive = () => !left && setReached(({ visit }) => ({ place, visit: visit + 1 }));
    feed
      .show(asked)
      .then((there) => {
        if (!there && !left)
          notifyFailed("Nothing there", new Error(`There is no event ${asked}.`));
      })
      .catch((error) => notifyFailed("Could not go there", error))
      .finally(arrive);
    return () => {
      left = true;
    };
  }, [feed, open, place]);

  return {
    seq: asked,
    visit: reached.visit,
    seeking: asked !== null && !stays && reached.place !== place,
  };
}
