import { useEffect, useRef } from "react";
import type { InboxItem } from "@/lib/api";
import {
  type BuildNews,
  changesSince,
  newInboxItems,
  shouldNotify,
  type WatchedBuild,
} from "./build-news";
import { useNotificationState } from "./permission";

interface BuildNotificationsProps {
  builds: WatchedBuild[] | undefined;
  inbox: InboxItem[] | undefined;
  onOpen: (path: string) => void;
}

/** Shows browser notifications while the tab is hidden. */
export function BuildNotifications({ builds, inbox, onOpen }: BuildNotificationsProps) {
  useNews(builds, changesSince, onOpen);
  useNews(inbox, newInboxItems, onOpen);
  return null;
}

/** Notifies of what changed between two versions of a list. */
function useNews<T>(
  items: T[] | undefined,
  newsSince: (before: T[] | null, now: T[]) => BuildNews[],
  onOpen: (path: string) => void,
) {
  const before = useRef<T[] | null>(null);
  useEffect(() => {
    if (!items) return;
    const news = newsSince(before.current, items);
    before.current = items;
    if (!shouldNotify(useNotificationState.getState().standing, document.hidden)) return;
    for (const each of news) call(each, onOpen);
  }, [items, newsSince, onOpen]);
}

function call({ key, title, body, path }: BuildNews, onOpen: (path: string) => void) {
  try {
    // All tabs notify; the tag merges their notifications.
    const shown = new Notification(title, { body, tag: key, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      onOpen(path);
      shown.close();
    };
  } catch {
    // Some mobile browsers grant permission but show no notifications from pages.
  }
}
