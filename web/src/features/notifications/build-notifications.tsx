import { useEffect, useRef } from "react";
import type { Project } from "@/lib/api";
import { type BuildNews, changesSince, shouldNotify } from "./build-news";
import { useNotificationState } from "./permission";

interface BuildNotificationsProps {
  projects: Project[] | undefined;
  onOpen: (path: string) => void;
}

/** Shows browser notifications while the tab is hidden. */
export function BuildNotifications({ projects, onOpen }: BuildNotificationsProps) {
  const before = useRef<Project[] | null>(null);
  useEffect(() => {
    if (!projects) return;
    const news = changesSince(before.current, projects);
    before.current = projects;
    if (!shouldNotify(useNotificationState.getState().standing, document.hidden)) return;
    for (const each of news) call(each, onOpen);
  }, [projects, onOpen]);
  return null;
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
