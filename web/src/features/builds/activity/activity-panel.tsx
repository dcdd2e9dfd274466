import { Button, Center, Loader, Stack } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { useRef } from "react";
import type { VirtuosoHandle } from "react-virtuoso";
import { useStore } from "zustand";
import { EmptyState } from "@/components/empty-state";
import { useActions } from "@/domain/actions";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { ActivityList } from "./activity-list";
import { ActivityToolbar, type PhaseOption } from "./activity-toolbar";
import { ExpandedRowsContext, expandedRowsOf, setAllExpanded } from "./expanded-rows";
import { itemAt } from "./listed-items";
import { useActivityFilter } from "./use-activity-filter";
import { useEarlierSearch } from "./use-earlier-search";
import { useFollowing } from "./use-following";
import { useJournalActions } from "./use-journal-actions";
import { useRowKeys } from "./use-row-keys";
import { useRowLinks } from "./use-row-links";
import { useTarget } from "./use-target";

interface ActivityPanelProps {
  buildId: string;
  feed: Feed;
  phases: PhaseOption[];
}

export default function ActivityPanel({ buildId, feed, phases }: ActivityPanelProps) {
  const phase = useFeedState(feed, (state) => state.phase);
  const list = useRef<VirtuosoHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const expandedRows = expandedRowsOf(feed);
  const allExpanded = useStore(expandedRows, ({ all }) => all === true);

  const target = useTarget(feed);
  const { visit } = target;
  const { listed, marked, filter, ...filtering } = useActivityFilter(feed, target, expandedRows);
  const { items } = listed;
  const targetIndex =
    target.seq !== null && visit > 0 && !filtering.isFiltered
      ? Math.max(0, itemAt(listed, target.seq))
      : null;
  const following = useFollowing({ feed, items, list, filter, visit, targetIndex });
  const earlier = useEarlierSearch({
    feed,
    filter,
    isPending: filtering.isPending,
    visit,
    onStart: following.pause,
  });
  const { goTo, copyRowLink } = useRowLinks();
  const journal = useJournalActions(buildId, feed, goTo);
  const onFocusRow = useRowKeys({
    items,
    marked,
    visit,
    list,
    scroller: following.scroller,
    onMove: following.pause,
    onLink: copyRowLink,
  });
  useActions([
    { name: "firstError", run: journal.jumpToFirstError },
    { name: "follow", run: () => following.setFollowing(!following.isFollowing) },
    { name: "searchActivity", run: () => searchField.current?.focus() },
    { name: "exportJournal", run: journal.exportJournal },
  ]);

  if (phase === "opening" || target.seeking) {
    return (
      <Center h="100%">
        <Loader aria-label="Loading activity" />
      </Center>
    );
  }
  if (phase === "failed") {
    return (
      <EmptyState
        order={3}
        icon={<IconActivity size={22} />}
        title="Could not load activity"
        action={
          <Button variant="default" onClick={() => void feed.open().catch(() => {})}>
            Try again
          </Button>
        }
      />
    );
  }
  return (
    <Stack gap={0} h="100%" mih={0}>
      <ActivityToolbar
        filter={filtering.choice}
        onFilter={filtering.onChange}
        search={filtering.search}
        onSearch={filtering.onSearch}
        searchRef={searchField}
        phases={phases}
        logsOpen={allExpanded}
        onLogs={() => setAllExpanded(expandedRows, !allExpanded)}
        onFirstError={journal.jumpToFirstError}
        exporting={journal.exporting}
        onExport={journal.exportJournal}
        following={following.isFollowing}
        onFollow={following.setFollowing}
      />
      <ExpandedRowsContext.Provider value={expandedRows}>
        <ActivityList
          feed={feed}
          listed={listed}
          filter={filter}
          listRef={list}
          startIndex={targetIndex}
          visit={visit}
          marked={marked}
          following={following}
          searching={earlier.searching}
          onSearchEarlier={earlier.search}
          onFocusRow={onFocusRow}
          onLink={copyRowLink}
          onToggle={filtering.onToggle}
        />
      </ExpandedRowsContext.Provider>
    </Stack>
  );
}
