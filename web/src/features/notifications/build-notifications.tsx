import { useEffect, useRef } from "react";
import type { Project } from "@/lib/api";
import { mayCall, type News, newsSince } from "./news";
import { useStanding } from "./standing";

interface BuildNotificationsProps {
  projects: Project[] | undefined;
  onOpen: (path: string) => void;
}

/** Calls someone back who is in another tab: a build asks, or has ended. */
export function BuildNotifications({ projects, onOpen }: BuildNotificationsProps) {
  const before = useRef<Project[] | null>(null);
  useEffect(() => {
    if (!projects) return;
    const news = newsSince(before.current, projects);
    before.current = projects;
    if (!mayCall(useStanding.getState().standing, document.hidden)) return;
    for (const each of news) call(each, onOpen);
  }, [projects, onOpen]);
  return null;
}

function call({ key, title, body, path }: News, onOpen: (path: string) => void) {
  try {
    // Every tab calls; the tag makes one notification of them.
    const shown = new Notification(title, { body, tag: key, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      onOpen(path);
      shown.close();
    };
  } catch {
    // Some phones know the permission and still show nothing from a page.
  }
}
