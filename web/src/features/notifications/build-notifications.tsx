import { useEffect, useRef } from "react";
import type { InboxItem, Project } from "@/lib/api";
import { type BuildNews, changesSince, newInboxItems, shouldNotify } from "./build-news";
import { useNotificationState } from "./permission";

interface BuildNotificationsProps {
  projects: Project[] | undefined;
  inbox: InboxItem[] | undefined;
  onOpen: (path: string) => void;
}

/** Shows browser notifications while the tab is hidden. */
export function BuildNotifications({ projects, inbox, onOpen }: BuildNotificationsProps) {
  useNews(projects, changesSince, onOpen);
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
