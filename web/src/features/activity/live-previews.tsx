import type { Feed } from "@/lib/feed/feed-store";
import { spokenText } from "@/lib/feed/spoken-text";
import { useFeedState } from "@/lib/feed/use-build-feed";
import classes from "./activity.module.css";

/** What is being written or printed this moment; the finished row takes its place. */
export function LivePreviews({ feed }: { feed: Feed }) {
  const previews = useFeedState(feed, (state) => state.previews);
  const entries = Object.entries(previews).filter(([, preview]) => preview.text !== "");
  if (entries.length === 0) return <div style={{ height: "0.75rem" }} />;
  return (
    <div className={classes.live} aria-hidden>
      {entries.map(([owner, preview]) => (
        <pre key={owner} className={classes.livePre} data-kind={preview.kind}>
          {preview.kind === "text" ? spokenText(preview.text) : preview.text.slice(-900)}
        </pre>
      ))}
    </div>
  );
}
