// A saver on a page: saves when the page is left or hidden, and by itself once the server answers again.
import { useEffect } from "react";
import { useStore } from "zustand";
import { isTransient, type Saver, type SaverState } from "./saver";

const TRY_AGAIN_MS = 5_000;

export function useSaver<D, R extends { version: number }>(saver: Saver<D, R>): SaverState<D, R> {
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
    const timer = setTimeout(() => void saver.flush(), TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [saver, tries]);
  return state;
}
