import { Box } from "@mantine/core";
import { agentText } from "@/domain/feed/agent-text";
import type { Feed } from "@/domain/feed/feed-store";
import { useFeedState } from "@/domain/feed/use-build-feed";
import classes from "./activity.module.css";

const MAX_OUTPUT_LINES = 6;

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-MAX_OUTPUT_LINES).join("\n");

/** Text and output that is still being produced. */
export function LivePreviews({ feed }: { feed: Feed }) {
  const previews = useFeedState(feed, (state) => state.previews);
  const entries = Object.entries(previews).filter(([, preview]) => preview.text !== "");
  if (entries.length === 0) return <div style={{ height: "0.75rem" }} />;
  return (
    <Box pt={4} pr="md" pb="sm" pl={50} aria-hidden>
      {entries.map(([owner, preview]) => (
        <pre key={owner} className={classes.livePre} data-kind={preview.kind}>
          {preview.kind === "text" ? agentText(preview.text) : lastLines(preview.text)}
        </pre>
      ))}
    </Box>
  );
}
