// Where the focus is after a navigation: at the start of a new page, and back on the link that was
// followed from an earlier one.
import { useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/** How long a page that is being loaded may take to show the link. */
const RESTORE_TIMEOUT_MS = 3_000;

export function useFocusOnNavigation() {
  const { key, pathname } = useLocation();
  const type = useNavigationType();
  /** The address of the link that was followed, by the key of the page that had it. */
  const followed = useRef(new Map<string, string>());
  const current = useRef({ key, pathname });

  useEffect(() => {
    const onClick = ({ target }: MouseEvent) => {
      const href = target instanceof Element && target.closest("a[href]")?.getAttribute("href");
      if (href) followed.current.set(current.current.key, href);
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, []);

  useEffect(() => {
    const before = current.current;
    current.current = { key, pathname };
    const main = document.getElementById("main");
    if (before.pathname === pathname || !main) return;
    const href = type === "POP" ? followed.current.get(key) : undefined;
    if (href !== undefined) return focusLink(main, href);
    // Links that stay, such as tabs, keep the focus.
    if (main.contains(document.activeElement)) return;
    // A corrected address is the same page, over which a dialog may be open already.
    if (type === "REPLACE" && document.activeElement?.closest("[role=dialog]")) return;
    main.focus({ preventScroll: true });
  }, [key, pathname, type]);
}

/** Focuses the link as soon as it is shown, unless the user acts first. */
function focusLink(main: HTMLElement, href: string): () => void {
  const stop = new AbortController();
  const focus = () => {
    const link = main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);
    if (!link) return;
    link.focus({ preventScroll: true });
    stop.abort();
  };
  const observer = new MutationObserver(focus);
  const timeout = setTimeout(() => stop.abort(), RESTORE_TIMEOUT_MS);
  stop.signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(timeout);
  });
  for (const name of ["pointerdown", "keydown"])
    window.addEventListener(name, () => stop.abort(), { signal: stop.signal });
  observer.observe(main, { childList: true, subtree: true });
  focus();
  return () => stop.abort();
}
