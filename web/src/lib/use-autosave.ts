// Saves when the page is left or hidden, and retries when the server is available again.
import { useEffect } from "react";
import { useStore } from "zustand";
import { type Autosave, type AutosaveState, isTransient } from "./autosave";

const RETRY_DELAY_MS = 5_000;

export function useAutosave<D, R extends { version: number }>(
  saver: Autosave<D, R>,
): AutosaveState<D, R> {
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
  const tries = state.status === "failed" && isTransient(state.error);
  useEffect(() => {
    if (!tries) return;
    const timer = setTimeout(() => void saver.flush(), RETRY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [saver, tries]);
  return state;
}
