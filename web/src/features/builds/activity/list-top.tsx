import { Button, Center, Loader, Text } from "@mantine/core";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { formatCount } from "@/lib/format";
import { LoadFailure } from "./load-failure";

interface ListTopProps {
  feed: Feed;
  filtered: boolean;
  searching: boolean;
  /** Loads earlier events until one matches. */
  onSearchEarlier: () => void;
}

/** Above the first row. */
export function ListTop({ feed, filtered, searching, onSearchEarlier }: ListTopProps) {
  const first = useFeedState(feed, (state) => state.events[0]?.seq ?? 1);
  const loading = useFeedState(feed, (state) => state.loading === "older");
  const failed = useFeedState(feed, (state) => state.failed === "older");
  if (loading || searching) {
    return (
      <Center py="sm">
        <Loader size="xs" aria-label="Loading earlier activity" />
        {searching && (
          <Text fz="xs" c="dimmed" ml="xs">
            Searching before event {formatCount(first)}…
          </Text>
        )}
      </Center>
    );
  }
  const loadEarlier = () => (filtered ? onSearchEarlier() : void feed.loadOlder());
  if (failed)
    return <LoadFailure onRetry={loadEarlier}>Could not load earlier activity.</LoadFailure>;
  if (first <= 1) return <div style={{ height: "0.5rem" }} />;
  return (
    <Center py="sm">
      {filtered && (
        <Text fz="xs" c="dimmed" mr="xs">
          {formatCount(first - 1)} earlier events have not been searched.
        </Text>
      )}
      <Button size="compact-xs" variant="default" onClick={loadEarlier}>
        {filtered ? "Search earlier" : "Show earlier"}
      </Button>
    </Center>
  );
}
