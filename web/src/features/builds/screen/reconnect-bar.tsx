import { Reconnecting } from "@/components/reconnecting";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";

export function ReconnectBar({ feed }: { feed: Feed }) {
  return <Reconnecting lost={useFeedState(feed, (state) => state.link === "reconnecting")} />;
}
