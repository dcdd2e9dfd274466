// The current time, updated twice a minute. All callers share one timer.
import { useSyncExternalStore } from "react";

const INTERVAL_MS = 30_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(tick, INTERVAL_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}

export const useMinute = (): number => useSyncExternalStore(subscribe, () => now);
