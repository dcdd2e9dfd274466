import { describe, expect, it, vi } from "vitest";
import { event, range, seqs } from "@/testing/events";
import type { FeedEvent } from "./event";
import { createFeed, type PageRequest } from "./feed-store";

/** A feed over a journal of `length` events; the test triggers its flushes. */
function feedOver(length: number) {
  const journal = range(1, length);
  const frames: (() => void)[] = [];
  const deps = {
    fetchPage: vi.fn(
      async ({ after = 0, before, tail, limit }: PageRequest): Promise<FeedEvent[]> => {
        if (tail) return journal.slice(-limit);
        if (before) return journal.slice(Math.max(0, before - 1 - limit), before - 1);
        return journal.slice(after, after + limit);
      },
    ),
    resubscribe: vi.fn(),
    onOpen: vi.fn(),
    onEvents: vi.fn(),
    schedule: (flush: () => void) => {
      frames.push(flush);
    },
  };
  const feed = createFeed(deps);
  const receive = (...events: FeedEvent[]) => {
    for (const each of events) feed.receive(each);
    for (const frame of frames.splice(0)) frame();
  };
  return { feed, deps, frames, receive, state: () => feed.store.getState() };
}

describe("feed", () => {
  it("opens with the newest page and subscribes after its head", async () => {
    const { feed, deps, state } = feedOver(1_000);
    await feed.open();
    expect(seqs(state().events).at(0)).toBe(801);
    expect(state().cursor).toBe(1_000);
    expect(seqs(deps.onOpen.mock.calls[0]?.[0])).toEqual(seqs(state().events));
    expect(deps.resubscribe).toHaveBeenCalledExactlyOnceWith(1_000);
  });

  it("shows an old event and returns to the end", async () => {
    const { feed, receive, state } = feedOver(3_000);
    await feed.open();
    expect(await feed.show(700)).toBe(true);
    expect(seqs(state().events)).toContain(700);
    expect([state().attached, state().events[0]?.seq]).toEqual([false, 450]);
    receive(event(3_001));
    expect(state().events.at(-1)?.seq).toBe(949);
    for (let page = 0; page < 5; page++) await feed.loadNewer();
    expect(state().events.at(-1)?.seq).toBe(3_000);
    expect(await feed.show(9_000)).toBe(false);
  });

  it("drops duplicate events", async () => {
    const { feed, deps, receive, state } = feedOver(3);
    await feed.open();
    receive(event(2), event(3), event(4), event(4));
    expect(seqs(state().events)).toEqual([1, 2, 3, 4]);
    expect(seqs(deps.onEvents.mock.calls[0]?.[0])).toEqual([4]);
  });

  it("resubscribes from its cursor after a gap", async () => {
    const { feed, deps, receive, state } = feedOver(3);
    await feed.open();
    receive(event(4), event(6), event(7));
    expect(seqs(state().events)).toEqual([1, 2, 3, 4]);
    expect(deps.resubscribe).toHaveBeenLastCalledWith(4);
    receive(...[5, 6, 7].map((seq) => event(seq)));
    expect(seqs(state().events)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("updates its state once per frame", async () => {
    const { feed, frames, receive, deps } = feedOver(0);
    await feed.open();
    const changes = vi.fn();
    feed.store.subscribe(changes);
    for (const each of range(1, 99)) feed.receive(each);
    expect(frames).toHaveLength(1);
    receive(event(100));
    expect(changes).toHaveBeenCalledTimes(1);
    expect(deps.onEvents).toHaveBeenCalledTimes(1);
  });

  it("pages back to the beginning without duplicates", async () => {
    const { feed, state } = feedOver(900);
    await feed.open();
    await feed.loadOlder();
    await feed.loadOlder();
    await feed.loadOlder();
    expect(seqs(state().events)).toEqual(seqs(range(1, 900)));
  });

  it("keeps a bounded window while following", async () => {
    const { feed, receive, state } = feedOver(10);
    await feed.open();
    receive(...range(11, 7_000));
    expect(state().events.length).toBeLessThanOrEqual(6_000);
    expect(state().events.at(-1)?.seq).toBe(7_000);
  });

  it("keeps the window of a reader and loads newer events on return", async () => {
    const { feed, receive, state } = feedOver(8_000);
    await feed.open();
    feed.setFollowing(false);
    receive(...range(8_001, 14_500));
    expect(state().attached).toBe(false);
    expect(state().events[0]?.seq).toBe(7_801);
    expect(state().cursor).toBe(14_500);
  });

  it("reports which page failed to load, and retries", async () => {
    const { feed, deps, state } = feedOver(1_000);
    await feed.open();
    deps.fetchPage.mockRejectedValueOnce(new TypeError("offline"));
    await feed.loadOlder();
    expect(state()).toMatchObject({ loading: null, failed: "older" });
    expect(state().events[0]?.seq).toBe(801);
    await feed.loadOlder();
    expect(state()).toMatchObject({ failed: null });
    expect(state().events[0]?.seq).toBe(301);

    await feed.show(100);
    deps.fetchPage.mockRejectedValueOnce(new TypeError("offline"));
    await feed.loadNewer();
    expect(state()).toMatchObject({ loading: null, failed: "newer" });
  });

  it("keeps its window if the newest page cannot be loaded", async () => {
    const { feed, deps, state } = feedOver(3_000);
    await feed.open();
    await feed.show(700);
    const before = state();
    deps.fetchPage.mockRejectedValueOnce(new TypeError("offline"));
    await expect(feed.open()).rejects.toThrow("offline");
    expect(state()).toEqual(before);
  });

  it("reports that it could not open, and retries", async () => {
    const { feed, deps, state } = feedOver(3);
    deps.fetchPage.mockRejectedValueOnce(new TypeError("offline"));
    await expect(feed.open()).rejects.toThrow("offline");
    expect(state().phase).toBe("failed");
    await feed.open();
    expect(state().phase).toBe("open");
  });

  it("reports that the build does not exist", async () => {
    const { feed, deps, state } = feedOver(1);
    deps.fetchPage.mockRejectedValueOnce(Object.assign(new Error("gone"), { status: 404 }));
    await feed.open();
    expect(state().phase).toBe("gone");
  });

  it("ends a preview when its text arrives", async () => {
    const { feed, receive, state } = feedOver(1);
    const piece = (text: string) =>
      feed.receivePreview({ kind: "text", payload: { run_id: "r", text } });
    await feed.open();
    feed.receive(event(2, "build_agent_started", { run_id: "r" }));
    piece("Hel");
    piece("lo");
    receive();
    expect(state().previews.r?.text).toBe("Hello");
    receive(event(3, "build_agent_turn", { run_id: "r", text: "Hello" }));
    piece("lo");
    receive();
    expect(state().previews.r?.text).toBe("");
    piece("Next");
    receive();
    expect(state().previews.r?.text).toBe("Next");
  });

  it("shows no preview of finished turns, in any order of events", async () => {
    const { feed, receive, state } = feedOver(1);
    await feed.open();
    const line = () =>
      feed.receivePreview({ kind: "output", payload: { run_id: "r", call_id: "c", text: "ok 1" } });
    feed.receive(event(2, "build_tool_call_started", { run_id: "r", call_id: "c" }));
    line();
    feed.receive(event(3, "build_tool_call_finished", { run_id: "r", call_id: "c" }));
    line();
    receive();
    expect(state().previews.c).toBeUndefined();
    receive(event(4, "build_sealed"));
    line();
    receive();
    expect(state().previews).toEqual({});
  });
});
