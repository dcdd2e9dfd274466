import { act, renderHook } from "@testing-library/react";
import type { KeyboardEvent, UIEvent, WheelEvent } from "react";
import { expect, it } from "vitest";
import { createFeed } from "@/domain/feed/feed-store";
import { range } from "@/testing/events";
import { NO_FILTER } from "./row-filter";
import { useFollowing } from "./use-following";

async function following() {
  const feed = createFeed({
    fetchPage: async () => range(1, 3),
    resubscribe: () => {},
    onOpen: () => {},
    onEvents: () => {},
    schedule: (flush) => flush(),
  });
  await feed.open();
  const options = { feed, items: [], list: { current: null }, filter: NO_FILTER, visit: 0 };
  return renderHook(() => useFollowing({ ...options, targetIndex: null })).result;
}

const scrolledTo = (scrollTop: number) =>
  ({ currentTarget: { scrollTop } }) as UIEvent<HTMLElement>;
const wheel = (deltaY: number) => ({ deltaY }) as WheelEvent;
const key = (key: string) => ({ key }) as KeyboardEvent;

it("stays paused if the list reports its end after the reader scrolled up", async () => {
  const list = await following();
  act(() => list.current.onScroll(scrolledTo(900)));
  act(() => list.current.onWheel(wheel(-400)));
  act(() => list.current.onScroll(scrolledTo(500)));
  act(() => list.current.onAtBottom(false, true));
  expect(list.current.isFollowing).toBe(false);
  // Rows are added at its front.
  act(() => list.current.onAtBottom(true, true));
  expect(list.current.isFollowing).toBe(false);
});

it.each([
  ["the wheel", (list: ReturnType<typeof useFollowing>) => list.onWheel(wheel(400))],
  ["a key", (list: ReturnType<typeof useFollowing>) => list.onKey(key("End"))],
  ["the scroll bar", (list: ReturnType<typeof useFollowing>) => list.onPointer()],
])("follows again at the end, reached with %s", async (_, scrollDown) => {
  const list = await following();
  act(() => list.current.onScroll(scrolledTo(900)));
  act(() => list.current.onKey(key("PageUp")));
  act(() => list.current.onScroll(scrolledTo(500)));
  act(() => list.current.onAtBottom(false, true));
  act(() => scrollDown(list.current));
  act(() => list.current.onAtBottom(true, true));
  expect(list.current.isFollowing).toBe(true);
});
