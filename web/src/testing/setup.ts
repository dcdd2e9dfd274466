import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { setDraftOwner } from "@/lib/draft-store";
import { forgetSlugs } from "@/lib/paths";

// The time that a test may take on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

// Files share one page and its modules: what a test changes must not reach the next.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
  document.head.replaceChildren();
  forgetSlugs();
  setDraftOwner("");
});

// There is no server: requests fail as they do without a connection, unless a test answers them.
globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));

window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;

// Used by autosizing text fields.
if (!document.fonts) Object.defineProperty(document, "fonts", { value: new EventTarget() });
