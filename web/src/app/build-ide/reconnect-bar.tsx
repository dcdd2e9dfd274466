import { Loader } from "@mantine/core";
import type { Feed } from "@/lib/feed/feed-store";
import { useFeedState } from "@/lib/feed/use-build-feed";
import classes from "./build-ide.module.css";

export function ReconnectBar({ feed }: { feed: Feed }) {
  const lost = useFeedState(feed, (state) => state.link === "reconnecting");
  return (
    <div role="status">
      {lost && (
        <div className={classes.reconnect}>
          <Loader size={12} color="currentColor" aria-hidden />
          Reconnecting… Nothing is lost; what you missed follows.
        </div>
      )}
    </div>
  );
}
