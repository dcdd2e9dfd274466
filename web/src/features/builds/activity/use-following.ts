// Whether the list follows new rows. Following pauses while the reader looks at earlier ones.
import {
  type KeyboardEvent,
  type RefObject,
  type UIEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type WheelEvent,
} from "react";
import type { VirtuosoHandle } from "react-virtuoso";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { notifyFailed } from "@/lib/notify";
import type { Item } from "./rollups";
import type { Filter } from "./row-filter";

const UPWARD_KEYS = ["ArrowUp", "PageUp", "Home"];

/** Scrolling this soon after an input event is the reader's, not the list's own correction. */
const INPUT_SCROLL_TIMEOUT_MS = 600;

interface FollowingOptions {
  feed: Feed;
  items: Item[];
  list: RefObject<VirtuosoHandle | null>;
  filter: Filter;
  visit: number;
  /** The index of the row in the address, if the list starts there instead of at its end. */
  targetIndex: number | null;
}

export type Following = ReturnType<typeof useFollowing>;

export function useFollowing(options: FollowingOptions) {
  const { feed, items, list, filter, visit, targetIndex } = options;
  const startsAtTarget = targetIndex !== null;
  const attached = useFeedState(feed, (state) => state.attached);
  const [isEnabled, setIsEnabled] = useState(true);
  const [isPaused, setIsPaused] = useState(false);
  const [atBottom, setAtBottom] = useState(true);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  /** `isPaused` for callbacks of the list, which run before the next render. */
  const paused = useRef(false);
  /** Set while the list shows the row in the address and the reader has not moved. */
  const atTarget = useRef(false);
  const scroll = useRef({ top: 0, inputAt: Number.NEGATIVE_INFINITY, isUpward: false });

  function setPaused(isPaused: boolean, enabled = isEnabled) {
    paused.current = isPaused;
    setIsPaused(isPaused);
    feed.setFollowing(enabled && !isPaused);
  }

  /**
   * Rows are measured after they appear, and previews grow. Instead of Virtuoso's `followOutput`, which scrolls later,
   * and again whenever a row is measured, also if the reader has scrolled meanwhile.
   */
  function stickToBottom() {
    requestAnimationFrame(() => {
      if (scroller && isEnabled && attached && !paused.current)
        scroller.scrollTop = scroller.scrollHeight;
    });
  }

  const onFilterChange = useEffectEvent(() => {
    setPaused(startsAtTarget);
    atTarget.current = startsAtTarget;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that is filtered again starts at its end
  useEffect(() => onFilterChange(), [filter, startsAtTarget, visit]);

  /** The row in the address stays visible until the reader moves. */
  function stayAtTarget(index: number) {
    requestAnimationFrame(() => {
      if (atTarget.current) list.current?.scrollIntoView({ index });
    });
  }

  const onResize = useEffectEvent(() => {
    if (targetIndex !== null && atTarget.current) stayAtTarget(targetIndex);
    else stickToBottom();
  });
  // The list becomes shorter when a question or a seal appears beside it.
  useEffect(() => {
    if (!scroller) return;
    const observer = new ResizeObserver(() => onResize());
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scroller]);
  // A full window loses as many rows as it gains, so that its height does not change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the items change
  useEffect(() => onResize(), [items]);

  async function jumpToLatest() {
    try {
      if (!attached) await feed.open();
    } catch (error) {
      notifyFailed("Could not load the latest activity", error);
      return;
    }
    // The list's own corrections after this are not input, even if the wheel turned just before.
    scroll.current.inputAt = Number.NEGATIVE_INFINITY;
    scroll.current.isUpward = false;
    atTarget.current = false;
    setIsEnabled(true);
    setPaused(false, true);
    list.current?.scrollToIndex({ index: "LAST", align: "end" });
  }

  function onInput(isUpward: boolean) {
    atTarget.current = false;
    scroll.current.inputAt = performance.now();
    scroll.current.isUpward = isUpward;
  }

  return {
    isFollowing: isEnabled && !isPaused,
    isAtEnd: atBottom && attached,
    scroller,
    setScroller,
    pause: () => setPaused(true),
    jumpToLatest: () => void jumpToLatest(),
    setFollowing(on: boolean) {
      if (on) return void jumpToLatest();
      setIsEnabled(false);
      feed.setFollowing(false);
    },
    stickToBottom,
    onWheel: ({ deltaY }: WheelEvent) => onInput(deltaY < 0),
    onKey: ({ key }: KeyboardEvent) => onInput(UPWARD_KEYS.includes(key)),
    /** By touch or with the scroll bar. */
    onPointer: () => onInput(false),
    onScroll(event: UIEvent<HTMLElement>) {
      const { top, inputAt } = scroll.current;
      const now = event.currentTarget.scrollTop;
      if (now < top - 2 && performance.now() - inputAt < INPUT_SCROLL_TIMEOUT_MS) setPaused(true);
      scroll.current.top = now;
    },
    /** `mayResume` is false while rows are added at the front. */
    onAtBottom(isAtBottom: boolean, mayResume: boolean) {
      setAtBottom(isAtBottom);
      // A list that is not laid out yet reports that it is at its end, and may do so while it gets rows at its front.
      const isByReader = !atTarget.current && !scroll.current.isUpward;
      if (isAtBottom && isByReader && mayResume) setPaused(false);
      else stickToBottom();
    },
  };
}
