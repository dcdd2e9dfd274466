// Where a build first went wrong, however long its journal is.
import { api, unwrap } from "@/lib/api";
import type { Feed } from "@/lib/feed/feed-store";

type FetchPage = Feed["fetchPage"];

const PAGE = 200;
/** An error's time may be a little before its event's. */
const MARGIN_MS = 2_000;

const isError = ({ type }: { type: string }) => type === "build_error_tracked";

/** The seq of the first error, or null where there is none. */
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

/** When the first error was seen, in milliseconds. */
async function firstSeen(build: string): Promise<number | null> {
  let first: number | null = null;
  let after: string | undefined;
  do {
    const page = await unwrap(
      api.GET("/api/builds/{build}/errors", {
        params: { path: { build }, query: { after, limit: PAGE } } as never,
      }),
    );
    for (const { first_seen } of page.items)
      first = Math.min(first ?? Number.POSITIVE_INFINITY, Date.parse(first_seen));
    after = page.next ?? undefined;
  } while (after);
  return first;
}

/** Halves the journal until it knows where `since` is, and reads on from there. */
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
    const page = await fetchPage({ after, limit: PAGE });
    const found = page.find(isError);
    if (found) return found.seq;
    if (page.length < PAGE) return null;
    after = page.at(-1)?.seq ?? head;
  }
}
