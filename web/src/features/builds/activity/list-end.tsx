import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import { LivePreviews } from "./live-previews";
import { LoadFailure } from "./load-failure";

/** Below the last row. */
export function ListEnd({ feed }: { feed: Feed }) {
  const failed = useFeedState(feed, (state) => state.failed === "newer");
  if (!failed) return <LivePreviews feed={feed} />;
  return (
    <LoadFailure onRetry={() => void feed.loadNewer()}>Could not load later activity.</LoadFailure>
  );
}
