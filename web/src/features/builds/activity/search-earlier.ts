import type { FeedEvent } from "@/domain/feed/event";
import type { Feed } from "@/domain/feed/feed-store";
import { groupRows } from "./group-rows";
import { type Filter, matches } from "./row-filter";

/** Loads earlier events until one matches, the journal begins, or the search is cancelled. */
export async function searchEarlier(
  feed: Feed,
  filter: Filter,
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted()) {
    // The list may be loading because its top is visible.
    await idle(feed);
    const first = firstSeq(feed.store.getState().events);
    if (first <= 1) return;
    await feed.loadOlder();
    const { events } = feed.store.getState();
    const fresh = events.slice(
      0,
      events.findIndex(({ seq }) => seq === first),
    );
    if (firstSeq(events) >= first || groupRows(fresh).some((row) => matches(row, filter))) return;
  }
}

const firstSeq = (events: FeedEvent[]) => events[0]?.seq ?? 1;

function idle({ store }: Feed): Promise<void> {
  if (store.getState().loading === null) return Promise.resolve();
  return new Promise((resolve) => {
    const leave = store.subscribe(({ loading }) => {
      if (loading !== null) return;
      leave();
      resolve();
    });
  });
}
