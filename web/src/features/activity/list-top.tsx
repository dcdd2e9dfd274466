import { Button, Center, Loader, Text } from "@mantine/core";
import type { Feed } from "@/lib/feed/feed-store";
import { useFeedState } from "@/lib/feed/use-build-feed";
import { formatCount } from "@/lib/format";

interface ListTopProps {
  feed: Feed;
  narrowed: boolean;
  searching: boolean;
  /** Looks further back until something fits. */
  onSearchEarlier: () => void;
}

/** What stands before the first row: more to come, or the beginning. */
export function ListTop({ feed, narrowed, searching, onSearchEarlier }: ListTopProps) {
  const first = useFeedState(feed, (state) => state.events[0]?.seq ?? 1);
  const loading = useFeedState(feed, (state) => state.loading === "older");
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
  if (first <= 1) return <div style={{ height: "0.5rem" }} />;
  return (
    <Center py="sm">
      {narrowed && (
        <Text fz="xs" c="dimmed" mr="xs">
          {formatCount(first - 1)} earlier events are not searched yet.
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => (narrowed ? onSearchEarlier() : void feed.loadOlder())}
      >
        {narrowed ? "Search earlier" : "Show earlier"}
      </Button>
    </Center>
  );
}
