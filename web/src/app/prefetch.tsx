// Loads the code and the data of a page when a link to it is hovered or focused.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { matchRoutes, type RouteObject } from "react-router";
import { prefetchData } from "./prefetch-data";

/** A pointer that crosses a link does not stay this long. */
const HOVER_DELAY_MS = 80;

export function prefetchPage(routes: RouteObject[], client: QueryClient, pathname: string) {
  // Modules are loaded once, however often they are asked for. The page itself reports failures.
  for (const { route } of matchRoutes(routes, pathname) ?? [])
    if (typeof route.lazy === "function") void route.lazy().catch(() => {});
  void prefetchData(client, pathname);
}

export function Prefetch({ routes }: { routes: RouteObject[] }) {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onPoint = ({ target, type }: Event) => {
      clearTimeout(timer);
      const pathname = pathOf(target);
      if (pathname === null || savesData()) return;
      const delay = type === "focusin" ? 0 : HOVER_DELAY_MS;
      timer = setTimeout(() => prefetchPage(routes, client, pathname), delay);
    };
    document.addEventListener("pointerover", onPoint);
    document.addEventListener("focusin", onPoint);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", onPoint);
      document.removeEventListener("focusin", onPoint);
    };
  }, [routes, client]);
  return null;
}

/** The path of a link to another page of the app. */
function pathOf(target: EventTarget | null): string | null {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.target !== "" || link.hasAttribute("download")) return null;
  const { origin, pathname } = new URL(link.href, location.href);
  if (origin !== location.origin || pathname === location.pathname) return null;
  return pathname.startsWith("/api/") || pathname.startsWith("/git/") ? null : pathname;
}

/** Whether the user asked the browser to transfer less. */
const savesData = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
