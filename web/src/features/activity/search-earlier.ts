import type { FeedEvent } from "@/lib/feed/event";
import type { Feed } from "@/lib/feed/feed-store";
import { groupRows } from "./group-rows";
import { fits, type Narrowing } from "./row";

/** Loads earlier events until one fits, the journal begins, or nobody is looking any more. */
export async function searchEarlier(
  feed: Feed,
  narrowing: Narrowing,
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted()) {
    // The list may be loading because its top is in sight.
    await idle(feed);
    const first = firstSeq(feed.store.getState().events);
    if (first <= 1) return;
    await feed.loadOlder();
    const { events } = feed.store.getState();
    const fresh = events.slice(
      0,
      events.findIndex(({ seq }) => seq === first),
    );
    if (firstSeq(events) >= first || groupRows(fresh).some((row) => fits(row, narrowing))) return;
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
