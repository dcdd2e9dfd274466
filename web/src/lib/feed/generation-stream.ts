// Follows one run of a model that writes: every message is the whole of it, so coming back needs no cursor.
import type { Generation } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import { isStatus } from "@/lib/problem";

/** What is used of the browser's `EventSource`. */
export type Source = Pick<EventSource, "addEventListener" | "close">;

export interface StreamDeps {
  open: () => Source;
  /** Asked before the stream is opened again; renews the session where it has run out. */
  fetch: () => Promise<Generation>;
  take: (generation: Generation) => void;
  onLink: (live: boolean) => void;
}

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 8_000;

/** Goes on until the run has ended, or the returned function is called. */
export function followGeneration({ open, fetch, take, onLink }: StreamDeps): () => void {
  let source: Source | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delay = FIRST_DELAY_MS;
  let left = false;

  function listen() {
    const opened = open();
    source = opened;
    opened.addEventListener("generation", (message) => {
      if (source === opened) receive(JSON.parse((message as MessageEvent<string>).data));
    });
    opened.addEventListener("error", () => {
      if (source === opened) lost();
    });
  }

  function receive(generation: Generation) {
    delay = FIRST_DELAY_MS;
    onLink(true);
    take(generation);
    if (!isUnderWay(generation)) leave();
  }

  // The browser would try again by itself, but not after a refusal, and it does not say which it was.
  function lost() {
    source?.close();
    source = null;
    onLink(false);
    timer = setTimeout(again, delay);
    delay = Math.min(delay * 1.6, LONGEST_DELAY_MS);
  }

  async function again() {
    try {
      const generation = await fetch();
      if (left) return;
      take(generation);
      if (isUnderWay(generation)) listen();
      else leave();
    } catch (error) {
      if (left) return;
      if (isStatus(error, 404)) leave();
      else lost();
    }
  }

  function leave() {
    left = true;
    clearTimeout(timer);
    source?.close();
    source = null;
    onLink(true);
  }

  listen();
  return leave;
}
