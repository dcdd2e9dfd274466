// What the page holds of a build's journal: a window of events, the cursor, and previews.
import { createStore, type StoreApi } from "zustand";
import type { FeedEvent, Preview } from "./event";
import {
  append,
  contiguous,
  dropNewest,
  dropOldest,
  isFull,
  prepend,
  takeContiguous,
} from "./event-window";
import { afterEvent, type LivePreviews, withPreview } from "./previews";

export type FeedPhase = "opening" | "open" | "failed" | "gone";
export type FeedLink = "connecting" | "live" | "reconnecting";

export interface PageRequest {
  after?: number;
  before?: number;
  tail?: boolean;
  limit: number;
}

export interface FeedDeps {
  fetchPage: (request: PageRequest) => Promise<FeedEvent[]>;
  /** Asks the socket to resend everything after this seq. */
  resubscribe: (after: number) => void;
  /** Called with the newest page whenever the feed opens, initially or after a reset. */
  onOpen: (events: FeedEvent[]) => void;
  /** Called with every new event once, in order. */
  onEvents: (events: FeedEvent[]) => void;
  schedule: (flush: () => void) => void;
}

export interface FeedState {
  phase: FeedPhase;
  link: FeedLink;
  events: FeedEvent[];
  /** The newest seq received, whether or not it is in the window. */
  cursor: number;
  /** Whether the window ends at the cursor. */
  attached: boolean;
  loading: "older" | "newer" | null;
  /** Which load failed last. */
  failed: "older" | "newer" | null;
  previews: LivePreviews;
}

export interface Feed {
  store: StoreApi<FeedState>;
  /** Loads the newest page. On failure, an open window is kept and the promise is rejected. */
  open: () => Promise<void>;
  receive: (event: FeedEvent) => void;
  receivePreview: (preview: Preview) => void;
  setLink: (link: FeedLink) => void;
  setFollowing: (following: boolean) => void;
  setGone: () => void;
  loadOlder: () => Promise<void>;
  loadNewer: () => Promise<void>;
  /** Moves the window to `seq`; false if there is no such event. */
  show: (seq: number) => Promise<boolean>;
  fetchPage: FeedDeps["fetchPage"];
}

const PAGE_SIZE = 500;
const FIRST_PAGE_SIZE = 200;
/** Events loaded on either side of a requested one. */
const CONTEXT_SIZE = 250;
const initial: FeedState = {
  phase: "opening",
  link: "connecting",
  events: [],
  cursor: 0,
  attached: true,
  loading: null,
  failed: null,
  previews: {},
};

const isEvent = (each: FeedEvent | Preview): each is FeedEvent => "seq" in each;

export function createFeed(deps: FeedDeps): Feed {
  const store = createStore<FeedState>(() => initial);
  const { getState: get, setState: set } = store;
  let pending: (FeedEvent | Preview)[] = [];
  let scheduled = false;
  let following = true;

  function flush() {
    scheduled = false;
    const incoming = pending;
    pending = [];
    const state = get();
    if (state.phase !== "open") return;
    const { next, gap } = takeContiguous(state.cursor, incoming.filter(isEvent));
    const cursor = next.at(-1)?.seq ?? state.cursor;
    const taken = new Set(next);
    let { previews } = state;
    for (const each of incoming) {
      if (!isEvent(each)) previews = withPreview(previews, each);
      else if (taken.has(each)) previews = afterEvent(previews, each);
    }
    set({ cursor, previews, ...extend(state, next) });
    if (next.length > 0) deps.onEvents(next);
    if (gap) deps.resubscribe(cursor);
  }

  function extend(state: FeedState, next: FeedEvent[]): Partial<FeedState> {
    if (!state.attached || next.length === 0) return {};
    const events = append(state.events, next);
    if (!isFull(events)) return { events };
    // A reader further up keeps the loaded rows; the newest can be fetched again.
    return following
      ? { events: dropOldest(events) }
      : { events: dropNewest(events), attached: false };
  }

  function wake() {
    if (scheduled) return;
    scheduled = true;
    deps.schedule(flush);
  }

  async function load(direction: "older" | "newer", page: () => Promise<void>) {
    set({ loading: direction, failed: null });
    try {
      await page();
    } catch {
      set({ failed: direction });
    } finally {
      set({ loading: null });
    }
  }

  return {
    store,
    async open() {
      try {
        const events = contiguous(await deps.fetchPage({ tail: true, limit: FIRST_PAGE_SIZE }));
        set({
          phase: "open",
          events,
          cursor: events.at(-1)?.seq ?? 0,
          attached: true,
          failed: null,
          previews: events.reduce(afterEvent, {}),
        });
        deps.onOpen(events);
        deps.resubscribe(get().cursor);
      } catch (error) {
        if ((error as { status?: number }).status === 404) return set({ phase: "gone" });
        if (get().phase === "opening") set({ phase: "failed" });
        throw error;
      }
    },
    receive(event) {
      pending.push(event);
      wake();
    },
    receivePreview(preview) {
      if (preview.kind === "heartbeat") return;
      pending.push(preview);
      wake();
    },
    setLink: (link) => set({ link }),
    setFollowing: (value) => {
      following = value;
    },
    setGone: () => set({ phase: "gone" }),
    async loadOlder() {
      const { events, loading } = get();
      const first = events[0]?.seq ?? 1;
      if (loading || first <= 1) return;
      await load("older", async () => {
        const older = await deps.fetchPage({ before: first, limit: PAGE_SIZE });
        const grown = prepend(get().events, older);
        const events = following ? grown : dropNewest(grown);
        set({ events, attached: get().attached && events.length === grown.length });
      });
    },
    async loadNewer() {
      const { events, loading, attached } = get();
      const last = events.at(-1)?.seq;
      if (loading || attached || last === undefined) return;
      await load("newer", async () => {
        const newer = await deps.fetchPage({ after: last, limit: PAGE_SIZE });
        const events = dropOldest(append(get().events, newer));
        set({ events, attached: (events.at(-1)?.seq ?? 0) >= get().cursor });
      });
    },
    async show(seq) {
      if (get().events.some((event) => event.seq === seq)) return true;
      if (seq < 1 || seq > get().cursor) return false;
      const [before, after] = await Promise.all([
        deps.fetchPage({ before: seq, limit: CONTEXT_SIZE }),
        deps.fetchPage({ after: seq - 1, limit: CONTEXT_SIZE }),
      ]);
      const events = contiguous([...before, ...after]);
      const last = events.at(-1)?.seq ?? 0;
      if (last < seq) return false;
      following = false;
      set({ events, attached: last >= get().cursor, failed: null });
      return true;
    },
    fetchPage: deps.fetchPage,
  };
}
