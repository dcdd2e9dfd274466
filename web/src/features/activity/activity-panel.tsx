import { Button, Center, Loader } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconActivity, IconArrowDown } from "@tabler/icons-react";
import { type UIEvent, useEffect, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { EmptyState } from "@/components/empty-state";
import type { Feed } from "@/lib/feed/feed-store";
import { useFeedState } from "@/lib/feed/use-build-feed";
import classes from "./activity.module.css";
import { ActivityToolbar } from "./activity-toolbar";
import { groupRows } from "./group-rows";
import { ListTop } from "./list-top";
import { LivePreviews } from "./live-previews";
import { OpenRows } from "./open-rows";
import { belongsTo, type Row, type RowFilter, wordsOf } from "./row";
import { RowView } from "./row-view";
import { useFirstIndex } from "./use-first-index";

const NEAR_BOTTOM = 160;

/** Whether a click opens or closes a row; what someone opens must not run away. */
const isDisclosure = (target: EventTarget) =>
  (target as Element).closest("[aria-expanded]") !== null;

interface ListContext {
  feed: Feed;
  narrowed: boolean;
}

const COMPONENTS = {
  Header: ({ context }: { context?: ListContext }) => context && <ListTop {...context} />,
  Footer: ({ context }: { context?: ListContext }) =>
    context && <LivePreviews feed={context.feed} />,
};

export default function ActivityPanel({ feed }: { feed: Feed }) {
  const events = useFeedState(feed, (state) => state.events);
  const phase = useFeedState(feed, (state) => state.phase);
  const attached = useFeedState(feed, (state) => state.attached);
  const [filter, setFilter] = useState<RowFilter | "all">("all");
  const [search, setSearch] = useState("");
  const [words] = useDebouncedValue(search.trim().toLowerCase(), 150);
  const [following, setFollowing] = useState(true);
  const [atBottom, setAtBottom] = useState(true);
  const [watched, setWatched] = useState<HTMLElement | null>(null);
  const away = useRef(false);
  const scrolled = useRef({ top: 0, byHandAt: Number.NEGATIVE_INFINITY });
  const [openRows] = useState(() => new Map<string, boolean>());
  const list = useRef<VirtuosoHandle>(null);

  const all = useMemo(() => groupRows(events), [events]);
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          (filter === "all" || belongsTo(row, filter)) &&
          (words === "" || wordsOf(row).includes(words)),
      ),
    [all, filter, words],
  );
  const rowKeys = useMemo(() => rows.map((row) => row.key), [rows]);
  const firstItemIndex = useFirstIndex(rowKeys);
  const narrowed = filter !== "all" || words !== "";

  function hold(isAway: boolean) {
    away.current = isAway;
    feed.setFollowing(following && !isAway);
  }

  /** A list that is narrowed anew shows its end, whatever was read before. */
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what narrows the list
  useEffect(() => hold(false), [filter, words]);

  const byHand = () => {
    scrolled.current.byHandAt = performance.now();
  };

  /** Someone who scrolls up is reading. The list's own corrections are nobody's wish. */
  function onScroll(event: UIEvent<HTMLElement>) {
    const { top, byHandAt } = scrolled.current;
    const now = event.currentTarget.scrollTop;
    if (now < top - 2 && performance.now() - byHandAt < 600) hold(true);
    scrolled.current.top = now;
  }

  /** Rows are measured after they appear, and previews grow: the end stays in view. */
  function stickToBottom() {
    requestAnimationFrame(() => {
      if (watched && following && attached && !away.current)
        watched.scrollTop = watched.scrollHeight;
    });
  }

  // The list becomes shorter when a question or a seal appears beside it.
  const stick = useRef(stickToBottom);
  stick.current = stickToBottom;
  useEffect(() => {
    if (!watched) return;
    const observer = new ResizeObserver(() => stick.current());
    observer.observe(watched);
    return () => observer.disconnect();
  }, [watched]);

  function onBottom(isAtBottom: boolean) {
    setAtBottom(isAtBottom);
    if (isAtBottom) hold(false);
    else stickToBottom();
  }

  async function jumpToLatest() {
    // The wheel may have turned just before; what the list corrects from now on is not by hand.
    scrolled.current.byHandAt = Number.NEGATIVE_INFINITY;
    setFollowing(true);
    hold(false);
    if (!attached) await feed.open();
    list.current?.scrollToIndex({ index: "LAST", align: "end" });
  }

  if (phase === "opening") {
    return (
      <Center h="100%">
        <Loader aria-label="Loading the activity" />
      </Center>
    );
  }
  if (phase === "failed") {
    return (
      <EmptyState
        order={3}
        icon={<IconActivity size={22} />}
        title="Could not load the activity"
        action={
          <Button variant="default" onClick={() => feed.open()}>
            Try again
          </Button>
        }
      />
    );
  }
  return (
    <div className={classes.panel}>
      <ActivityToolbar
        filter={filter}
        onFilter={setFilter}
        search={search}
        onSearch={setSearch}
        following={following}
        onFollow={(on) => (on ? jumpToLatest() : setFollowing(false))}
      />
      <div
        className={classes.list}
        onClickCapture={(event) => isDisclosure(event.target) && hold(true)}
      >
        {rows.length === 0 && (
          <EmptyState
            order={3}
            icon={<IconActivity size={22} />}
            title={narrowed ? "Nothing of that kind here" : "Nothing has happened yet"}
          >
            {narrowed
              ? "Choose another filter, or search for other words."
              : "The first lines appear as soon as a worker starts."}
          </EmptyState>
        )}
        <OpenRows.Provider value={openRows}>
          <Virtuoso<Row, ListContext>
            key={`${filter}:${words}`}
            ref={list}
            scrollerRef={(element) => setWatched(element as HTMLElement | null)}
            data={rows}
            context={{ feed, narrowed }}
            components={COMPONENTS}
            firstItemIndex={firstItemIndex}
            initialTopMostItemIndex={{ index: "LAST", align: "end" }}
            computeItemKey={(_, row) => row.key}
            itemContent={(_, row) => <RowView row={row} />}
            followOutput={() => (following && attached && !away.current ? "auto" : false)}
            atBottomThreshold={NEAR_BOTTOM}
            atBottomStateChange={onBottom}
            onScroll={onScroll}
            onWheel={byHand}
            onTouchMove={byHand}
            onKeyDown={byHand}
            onPointerDown={byHand}
            startReached={() => void feed.loadOlder()}
            endReached={() => void feed.loadNewer()}
            totalListHeightChanged={stickToBottom}
            increaseViewportBy={{ top: 400, bottom: 200 }}
            style={{ height: "100%" }}
            tabIndex={0}
            role="log"
            aria-live="off"
            aria-label="Activity of the build"
          />
        </OpenRows.Provider>
        {(!atBottom || !attached) && rows.length > 0 && (
          <Button
            className={classes.jump}
            size="xs"
            radius="xl"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={jumpToLatest}
          >
            Jump to latest
          </Button>
        )}
      </div>
    </div>
  );
}
