// The part of a journal that the page holds: contiguous, ordered, and of limited length.
import type { FeedEvent } from "./event";

export const WINDOW_LIMIT = 5_000;
/** Room beyond the limit, so that a busy feed is not trimmed on every frame. */
const SLACK = 1_000;

export const isFull = (window: FeedEvent[]) => window.length > WINDOW_LIMIT + SLACK;

/** Sorted, without duplicates, up to the first gap. */
export function contiguous(events: FeedEvent[]): FeedEvent[] {
  const sorted = [...events].sort((a, b) => a.seq - b.seq);
  const run: FeedEvent[] = [];
  for (const event of sorted) {
    const last = run.at(-1);
    if (last && event.seq === last.seq) continue;
    if (last && event.seq !== last.seq + 1) break;
    run.push(event);
  }
  return run;
}

/** Adds older events in front, unless they would leave a gap. */
export function prepend(window: FeedEvent[], older: FeedEvent[]): FeedEvent[] {
  const first = window[0]?.seq ?? Number.POSITIVE_INFINITY;
  const run = contiguous(older.filter((event) => event.seq < first));
  if (window.length > 0 && run.at(-1)?.seq !== first - 1) return window;
  return [...run, ...window];
}

/** Adds newer events at the end, unless they would leave a gap. */
export function append(window: FeedEvent[], newer: FeedEvent[]): FeedEvent[] {
  const last = window.at(-1)?.seq;
  const run = contiguous(last === undefined ? newer : newer.filter((event) => event.seq > last));
  if (run.length === 0 || (last !== undefined && run[0]?.seq !== last + 1)) return window;
  return [...window, ...run];
}

export const dropOldest = (window: FeedEvent[]) =>
  isFull(window) ? window.slice(window.length - WINDOW_LIMIT) : window;

export const dropNewest = (window: FeedEvent[]) =>
  isFull(window) ? window.slice(0, WINDOW_LIMIT) : window;

/** The events that continue after `cursor`, and whether any are missing. */
export function takeContiguous(
  cursor: number,
  incoming: FeedEvent[],
): { next: FeedEvent[]; gap: boolean } {
  const next: FeedEvent[] = [];
  let last = cursor;
  for (const event of incoming) {
    if (event.seq <= last) continue;
    if (event.seq !== last + 1) return { next, gap: true };
    next.push(event);
    last = event.seq;
  }
  return { next, gap: false };
}
