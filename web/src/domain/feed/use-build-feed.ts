// Follows the feed of a build while the caller is mounted.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { createFeedCache } from "./feed-cache";
import { feedSocket } from "./feed-socket";
import { createFeed, type Feed, type FeedState } from "./feed-store";
import { fetchEvents } from "./fetch-events";
import { createFlushScheduler } from "./flush-scheduler";

const RETRY_DELAY_MS = 3_000;

export function useBuildFeed(buildId: string, projectId: string): Feed {
  const client = useQueryClient();
  const [{ feed, cache }] = useState(() => {
    const cache = createFeedCache(client, buildId, projectId);
    const feed = createFeed({
      fetchPage: (request) => fetchEvents(buildId, request),
      resubscribe: () => feedSocket.ask(buildId),
      onOpen: cache.open,
      onEvents: cache.receive,
      schedule: createFlushScheduler(),
    });
    return { feed, cache };
  });

  useEffect(() => {
    const disconnect = cache.connect();
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
          // Short interruptions are not shown.
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
      // The server may be unavailable when the page opens.
      await feed.open().catch(() => {
        if (!left) again = setTimeout(open, RETRY_DELAY_MS);
      });
    }
    void open();
    return () => {
      left = true;
      stop();
      clearTimeout(slow);
      clearTimeout(again);
      leave?.();
      disconnect();
    };
  }, [feed, cache, buildId]);

  return feed;
}

export function useFeedState<T>(feed: Feed, select: (state: FeedState) => T): T {
  return useStore(feed.store, select);
}
