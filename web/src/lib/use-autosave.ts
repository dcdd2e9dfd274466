// Saves half a second after typing stops, when the page is left or hidden, and when the server is available again.
import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError } from "./api-error";
import type { DraftSaver, DraftState } from "./draft-saver";

export const SAVE_DELAY_MS = 500;
const RETRY_DELAY_MS = 5_000;

export function useAutosave<D, R extends { version: number }>(
  saver: DraftSaver<D, R>,
): DraftState<D, R> {
  const state = useStore(saver.store);
  useEffect(() => {
    const flush = () => void saver.flush();
    flush();
    window.addEventListener("online", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      window.removeEventListener("online", flush);
      document.removeEventListener("visibilitychange", flush);
      flush();
    };
  }, [saver]);
  const { draft, status } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change restarts the timer
  useEffect(() => {
    if (status !== "unsaved") return;
    const timer = setTimeout(() => void saver.flush(), SAVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [saver, draft, status]);
  const tries = status === "failed" && isTransient(state.error);
  useEffect(() => {
    if (!tries) return;
    const timer = setTimeout(() => void saver.flush(), RETRY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [saver, tries]);
  return state;
}

/** Whether retrying may help: no response, or a server error. */
export const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500;
