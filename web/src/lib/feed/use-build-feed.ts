// Opens the feed of one build for as long as the caller is on the page.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { api, unwrap } from "@/lib/api";
import type { FeedEvent } from "./event";
import { createFeedCache } from "./feed-cache";
import { createPace } from "./feed-pace";
import { feedSocket } from "./feed-socket";
import { createFeed, type Feed, type FeedState, type PageRequest } from "./feed-store";

const TRY_AGAIN_MS = 3_000;

async function fetchPage(build: string, query: PageRequest): Promise<FeedEvent[]> {
  const page = await unwrap(
    api.GET("/api/builds/{build}/events", { params: { path: { build }, query } }),
  );
  return (page as unknown as { items: FeedEvent[] }).items;
}

export function useBuildFeed(buildId: string, projectId: string): Feed {
  const client = useQueryClient();
  const [feed] = useState(() =>
    createFeed({
      fetchPage: (request) => fetchPage(buildId, request),
      resubscribe: () => feedSocket.ask(buildId),
      onEvents: createFeedCache(client, buildId, projectId),
      schedule: createPace(),
    }),
  );

  useEffect(() => {
    let leave: (() => void) | null = null;
    let left = false;
    let slow: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    function subscribe() {
      leave = feedSocket.subscribe(buildId, {
        cursor: () => feed.store.getState().cursor,
        onEvent: feed.receive,
        onPreview: feed.receivePreview,
        onLink: (live) => {
          clearTimeout(slow);
          if (live) feed.setLink("live");
          // A blink of the connection is nobody's business; a longer one is said.
          else slow = setTimeout(() => feed.setLink("reconnecting"), 700);
        },
        onReset: () => void open(),
        onGone: feed.setGone,
      });
    }
    const stop = feed.store.subscribe(({ phase }, before) => {
      if (phase === "open" && !leave) subscribe();
      if (phase !== before.phase) clearTimeout(again);
    });
    async function open() {
      await feed.open();
      // A server that is away while a page opens comes back too.
      if (!left && feed.store.getState().phase === "failed") again = setTimeout(open, TRY_AGAIN_MS);
    }
    void open();
    return () => {
      left = true;
      stop();
      clearTimeout(slow);
      clearTimeout(again);
      leave?.();
    };
  }, [feed, buildId]);

  return feed;
}

export function useFeedState<T>(feed: Feed, select: (state: FeedState) => T): T {
  return useStore(feed.store, select);
}
