import { Box, Button } from "@mantine/core";
import { IconActivity, IconArrowDown } from "@tabler/icons-react";
import { type RefObject, useMemo } from "react";
import { type ContextProp, type ListProps, Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { EmptyState } from "@/components/empty-state";
import type { Feed } from "@/domain/feed/feed-store";
import classes from "./activity.module.css";
import { ListEnd } from "./list-end";
import { ListTop } from "./list-top";
import { containsRow, type Listed } from "./listed-items";
import type { Item, Rollup } from "./rollups";
import { type Filter, isFiltered } from "./row-filter";
import { RowFrame } from "./row-frame";
import { useFirstIndex } from "./use-first-index";
import type { Following } from "./use-following";

const AT_BOTTOM_THRESHOLD_PX = 160;

interface ListContext {
  feed: Feed;
  filtered: boolean;
  searching: boolean;
  onSearchEarlier: () => void;
}

/** Virtuoso hides rows until it has scrolled to the end, which takes many frames. */
function Rows({ context: _, style, ...props }: ListProps & ContextProp<ListContext>) {
  const isScrolling = style?.visibility === "hidden";
  return <div {...props} aria-busy={isScrolling} style={{ ...style, visibility: "visible" }} />;
}

const COMPONENTS = {
  List: Rows,
  Header: ({ context }: { context?: ListContext }) => context && <ListTop {...context} />,
  Footer: ({ context }: { context?: ListContext }) => context && <ListEnd feed={context.feed} />,
};

/** Whether a click opens or closes a row. */
const isDisclosure = (target: EventTarget) =>
  (target as Element).closest("[aria-expanded]") !== null;

interface ActivityListProps {
  feed: Feed;
  listed: Listed;
  filter: Filter;
  listRef: RefObject<VirtuosoHandle | null>;
  /** The item at which the list starts; null for its end. */
  startIndex: number | null;
  visit: number;
  /** The key of the row in the address. */
  marked: string | undefined;
  following: Following;
  searching: boolean;
  onSearchEarlier: () => void;
  onFocusRow: (target: Element) => void;
  onLink: (seq: number) => void;
  onToggle: (rollup: Rollup, opened: boolean) => void;
}

export function ActivityList(props: ActivityListProps) {
  const { feed, listed, filter, startIndex, visit, marked, following, searching } = props;
  const { items } = listed;
  const filtered = isFiltered(filter);
  const rowKeys = useMemo(() => items.map(({ key }) => key), [items]);
  const firstItemIndex = useFirstIndex(rowKeys);
  const newest = filtered ? undefined : items.at(-1);
  const isMarked = (item: Item) =>
    item.kind === "rollup"
      ? !listed.opened.has(item) && containsRow(item, marked)
      : item.key === marked;
  return (
    <Box
      pos="relative"
      flex={1}
      mih={0}
      onClickCapture={(event) => isDisclosure(event.target) && following.pause()}
    >
      {items.length === 0 && !searching && (
        <EmptyState
          order={3}
          icon={<IconActivity size={22} />}
          title={filtered ? "No matching activity" : "No activity yet"}
        >
          {filtered
            ? "Change the filter or the search text."
            : "Activity appears as soon as a worker starts."}
        </EmptyState>
      )}
      <Virtuoso<Item, ListContext>
        // Virtuoso uses the initial position only if the list is not empty when it is mounted.
        key={`${Object.values(filter).join()}:${visit}:${items.length === 0}`}
        ref={props.listRef}
        scrollerRef={(element) => following.setScroller(element as HTMLElement | null)}
        data={items}
        context={{ feed, filtered, searching, onSearchEarlier: props.onSearchEarlier }}
        components={COMPONENTS}
        firstItemIndex={firstItemIndex}
        initialTopMostItemIndex={
          startIndex === null
            ? { index: "LAST", align: "end" }
            : { index: startIndex, align: "center" }
        }
        computeItemKey={(_, item) => item.key}
        itemContent={(_, item) => (
          <RowFrame
            item={item}
            marked={isMarked(item)}
            nested={listed.nested.has(item.key)}
            opened={item.kind === "rollup" && listed.opened.has(item)}
            isNewest={item === newest}
            onLink={props.onLink}
            onToggle={props.onToggle}
          />
        )}
        atBottomThreshold={AT_BOTTOM_THRESHOLD_PX}
        atBottomStateChange={(isAtBottom) => following.onAtBottom(isAtBottom, !searching)}
        onScroll={following.onScroll}
        onFocus={(event) => props.onFocusRow(event.target)}
        onWheel={following.onWheel}
        onTouchMove={following.onPointer}
        onKeyDown={following.onKey}
        onPointerDown={following.onPointer}
        startReached={() => void feed.loadOlder()}
        endReached={() => {
          // Loading more at the end of a filtered list would push out what was found.
          if (!filtered) void feed.loadNewer();
        }}
        totalListHeightChanged={following.stickToBottom}
        increaseViewportBy={{ top: 120, bottom: 40 }}
        style={{ height: "100%" }}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Activity of the build"
      />
      {!following.isFollowing && !following.isAtEnd && items.length > 0 && (
        <Button
          className={classes.jump}
          size="xs"
          radius="xl"
          leftSection={<IconArrowDown size={14} aria-hidden />}
          onClick={following.jumpToLatest}
        >
          Jump to latest
        </Button>
      )}
    </Box>
  );
}
