import { Button, Center, Loader } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconActivity, IconArrowDown } from "@tabler/icons-react";
import { type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { EmptyState } from "@/components/empty-state";
import { useActions } from "@/lib/actions";
import { copyLink } from "@/lib/copy-link";
import type { Feed } from "@/lib/feed/feed-store";
import { useFeedState } from "@/lib/feed/use-build-feed";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { saveFile } from "@/lib/save-file";
import classes from "./activity.module.css";
import { ActivityToolbar, type PhaseChoice } from "./activity-toolbar";
import { readJournal } from "./export-journal";
import { firstError } from "./first-error";
import { groupRows, rowAt } from "./group-rows";
import { ListTop } from "./list-top";
import { LivePreviews } from "./live-previews";
import { OpenedRows, OpenRows } from "./open-rows";
import { ALL, fits, isNarrowed, type Narrowing, type Row } from "./row";
import { RowFrame } from "./row-frame";
import { searchEarlier } from "./search-earlier";
import { useFirstIndex } from "./use-first-index";
import { useRowKeys } from "./use-row-keys";
import { useTarget } from "./use-target";

const NEAR_BOTTOM = 160;

/** Whether a click opens or closes a row; what someone opens must not run away. */
const isDisclosure = (target: EventTarget) =>
  (target as Element).closest("[aria-expanded]") !== null;

interface ListContext {
  feed: Feed;
  narrowed: boolean;
  searching: boolean;
  onSearchEarlier: () => void;
}

const COMPONENTS = {
  Header: ({ context }: { context?: ListContext }) => context && <ListTop {...context} />,
  Footer: ({ context }: { context?: ListContext }) =>
    context && <LivePreviews feed={context.feed} />,
};

interface ActivityPanelProps {
  buildId: string;
  feed: Feed;
  phases: PhaseChoice[];
}

export default function ActivityPanel({ buildId, feed, phases }: ActivityPanelProps) {
  const events = useFeedState(feed, (state) => state.events);
  const phase = useFeedState(feed, (state) => state.phase);
  const attached = useFeedState(feed, (state) => state.attached);
  const here = useLocation();
  const navigate = useNavigate();
  const target = useTarget(feed);
  const [choice, setChoice] = useState(ALL);
  const [search, setSearch] = useState("");
  const typed = search.trim().toLowerCase();
  const [words] = useDebouncedValue(typed, 150);
  const [following, setFollowing] = useState(true);
  const [atBottom, setAtBottom] = useState(true);
  const [watched, setWatched] = useState<HTMLElement | null>(null);
  const away = useRef(false);
  /** Since the address led to a row, until the reader moves. */
  const landed = useRef(false);
  const scrolled = useRef({ top: 0, byHandAt: Number.NEGATIVE_INFINITY });
  const [openRows, setOpenRows] = useState(() => new OpenedRows());
  const [searching, setSearching] = useState(false);
  const [exporting, setExporting] = useState(false);
  const wanted = useRef<Narrowing | null>(null);
  /** A search was asked for words that the list is not narrowed to yet. */
  const searchNext = useRef(false);
  const list = useRef<VirtuosoHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);

  const all = useMemo(() => groupRows(events), [events]);
  const narrowing = useMemo(() => ({ ...choice, words }), [choice, words]);
  const rows = useMemo(() => all.filter((row) => fits(row, narrowing)), [all, narrowing]);
  const rowKeys = useMemo(() => rows.map((row) => row.key), [rows]);
  const firstItemIndex = useFirstIndex(rowKeys);
  const narrowed = isNarrowed(narrowing);
  const marked = target.seq === null ? undefined : all[rowAt(all, target.seq)]?.key;
  /** Whether the list begins where the address points, not at its end. */
  const lands = target.seq !== null && target.visit > 0 && !narrowed;

  function hold(isAway: boolean) {
    away.current = isAway;
    feed.setFollowing(following && !isAway);
  }

  /** Who was sent to a row sees it, whatever the list was narrowed to. */
  useEffect(() => {
    if (target.visit === 0) return;
    setChoice(ALL);
    setSearch("");
  }, [target.visit]);

  /** A list that is narrowed anew shows its end, whatever was read before. */
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what narrows the list
  useEffect(() => {
    hold(lands);
    landed.current = lands;
    setSearching(false);
    wanted.current = narrowing;
    if (searchNext.current) void onSearchEarlier();
    return () => {
      wanted.current = null;
    };
  }, [narrowing, lands, target.visit]);

  const byHand = () => {
    landed.current = false;
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

  // Of a full window as much leaves at the front as comes at the end: its height tells nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useEffect(() => stick.current(), [rows]);

  function onBottom(isAtBottom: boolean) {
    setAtBottom(isAtBottom);
    // A list that is not laid out yet is short, and says that it is at its end.
    if (isAtBottom && !landed.current && !searching) hold(false);
    else stickToBottom();
  }

  async function jumpToLatest() {
    // The wheel may have turned just before; what the list corrects from now on is not by hand.
    scrolled.current.byHandAt = Number.NEGATIVE_INFINITY;
    landed.current = false;
    setFollowing(true);
    hold(false);
    if (!attached) await feed.open();
    list.current?.scrollToIndex({ index: "LAST", align: "end" });
  }

  const goTo = (seq: number, state?: { stays: boolean }) =>
    navigate(
      { search: here.search, hash: `#${seq}` },
      { replace: true, preventScrollReset: true, state },
    );

  const link = useRef((_: number) => {});
  link.current = (seq) => {
    goTo(seq, { stays: true });
    void copyLink(`${here.pathname}${here.search}#${seq}`);
  };
  const onLink = useCallback((seq: number) => link.current(seq), []);

  async function jumpToFirstError() {
    try {
      const seq = await firstError(feed, buildId);
      if (seq === null) notifyDone("Nothing has gone wrong in this build");
      else goTo(seq);
    } catch (error) {
      notifyFailed("Could not look for the first error", error);
    }
  }

  async function exportJournal() {
    setExporting(true);
    try {
      const journal = await readJournal(buildId, feed.store.getState().cursor);
      saveFile(journal, `build-${buildId}.ndjson`);
    } catch (error) {
      notifyFailed("The journal was not exported", error);
    } finally {
      setExporting(false);
    }
  }

  async function onSearchEarlier() {
    searchNext.current = typed !== words;
    if (searchNext.current) return;
    hold(true);
    setSearching(true);
    try {
      await searchEarlier(feed, narrowing, () => wanted.current === narrowing);
    } finally {
      if (wanted.current === narrowing) setSearching(false);
    }
  }

  const onFollow = (on: boolean) => (on ? void jumpToLatest() : setFollowing(false));
  const keepPlace = useRowKeys({
    rows,
    marked,
    visit: target.visit,
    list,
    scroller: watched,
    onMove: () => hold(true),
    onLink,
  });
  useActions([
    { name: "firstError", run: () => void jumpToFirstError() },
    { name: "follow", run: () => onFollow(!following) },
    { name: "searchActivity", run: () => searchField.current?.focus() },
    { name: "exportJournal", run: () => void exportJournal() },
  ]);

  if (phase === "opening" || target.seeking) {
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
        narrowing={choice}
        onNarrow={(change) => setChoice({ ...choice, ...change })}
        search={search}
        onSearch={setSearch}
        searchRef={searchField}
        phases={phases}
        logsOpen={openRows.all === true}
        onLogs={() => setOpenRows(new OpenedRows(openRows.all !== true))}
        onFirstError={() => void jumpToFirstError()}
        exporting={exporting}
        onExport={() => void exportJournal()}
        following={following}
        onFollow={onFollow}
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
            // A list that was empty does not know where to begin.
            key={`${Object.values(narrowing).join()}:${target.visit}:${rows.length === 0}`}
            ref={list}
            scrollerRef={(element) => setWatched(element as HTMLElement | null)}
            data={rows}
            context={{ feed, narrowed, searching, onSearchEarlier: () => void onSearchEarlier() }}
            components={COMPONENTS}
            firstItemIndex={firstItemIndex}
            initialTopMostItemIndex={
              lands
                ? { index: Math.max(0, rowAt(rows, target.seq ?? 0)), align: "center" }
                : { index: "LAST", align: "end" }
            }
            computeItemKey={(_, row) => row.key}
            itemContent={(_, row) => (
              <RowFrame row={row} marked={row.key === marked} onLink={onLink} />
            )}
            followOutput={() => (following && attached && !away.current ? "auto" : false)}
            atBottomThreshold={NEAR_BOTTOM}
            atBottomStateChange={onBottom}
            onScroll={onScroll}
            onFocus={(event) => keepPlace(event.target)}
            onWheel={byHand}
            onTouchMove={byHand}
            onKeyDown={byHand}
            onPointerDown={byHand}
            startReached={() => void feed.loadOlder()}
            endReached={() => {
              // The end of a narrowed list is nobody's wish for more: it would push out what was found.
              if (!narrowed) void feed.loadNewer();
            }}
            totalListHeightChanged={stickToBottom}
            increaseViewportBy={{ top: 120, bottom: 40 }}
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
