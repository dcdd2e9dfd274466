// Finds the first error of a build by binary search in its journal.

import type { Feed } from "@/domain/feed/feed-store";
import { api, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";

type FetchPage = Feed["fetchPage"];

const PAGE_SIZE = 200;
/** The time of an error may be slightly before that of its event. */
const MARGIN_MS = 2_000;

const isError = ({ type }: { type: string }) => type === "build_error_tracked";

/** The seq of the first error, or null if there is none. */
export async function firstError(feed: Feed, build: string): Promise<number | null> {
  const { events, cursor } = feed.store.getState();
  if (events[0]?.seq === 1) {
    const known = events.find(isError);
    if (known) return known.seq;
  }
  const since = await firstSeen(build);
  if (since === null) return null;
  return errorSince(feed.fetchPage, cursor, since - MARGIN_MS);
}

/** The time of the first error, in milliseconds. */
async function firstSeen(build: string): Promise<number | null> {
  const errors = await fetchAllPages((query) =>
    unwrap(api.GET("/api/builds/{build}/errors", { params: { path: { build }, query } })),
  );
  if (errors.length === 0) return null;
  return errors.reduce(
    (first, { first_seen }) => Math.min(first, Date.parse(first_seen)),
    Number.POSITIVE_INFINITY,
  );
}

/** Binary search for the first event at or after `since`, then a linear scan. */
export async function errorSince(
  fetchPage: FetchPage,
  head: number,
  since: number,
): Promise<number | null> {
  let low = 1;
  let high = head;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await fetchPage({ after: middle - 1, limit: 1 });
    if (!event || Date.parse(event.at) >= since) high = middle;
    else low = middle + 1;
  }
  for (let after = low - 1; ; ) {
    const page = await fetchPage({ after, limit: PAGE_SIZE });
    const found = page.find(isError);
    if (found) return found.seq;
    if (page.length < PAGE_SIZE) return null;
    after = page.at(-1)?.seq ?? head;
  }
}
