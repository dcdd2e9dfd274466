// Follows a contract generation. Every message contains the whole generation, so reconnecting needs no cursor.
import type { Generation } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { isRunning } from "../generation";

/** The part of `EventSource` that is used. */
export type Source = Pick<EventSource, "addEventListener" | "close">;

export interface StreamDeps {
  open: () => Source;
  /** Called before reconnecting; renews an expired session. */
  fetch: () => Promise<Generation>;
  take: (generation: Generation) => void;
  onLink: (live: boolean) => void;
}

const FIRST_DELAY_MS = 300;
const MAX_DELAY_MS = 8_000;

/** Runs until the generation has finished or the returned function is called. */
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
    if (!isRunning(generation)) leave();
  }

  // The browser does not reconnect after an error response, and does not tell which kind of error it was.
  function lost() {
    source?.close();
    source = null;
    onLink(false);
    timer = setTimeout(again, delay);
    delay = Math.min(delay * 1.6, MAX_DELAY_MS);
  }

  async function again() {
    try {
      const generation = await fetch();
      if (left) return;
      take(generation);
      if (isRunning(generation)) listen();
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
