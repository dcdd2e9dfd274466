// The unsent line of a build and its recipient, kept in the browser.
import { type SetStateAction, useCallback, useEffect, useState } from "react";
import { createDraftStore } from "@/lib/draft-store";

/** To the agents, or about the build. */
export type ComposerMode = "message" | "question";

interface ComposerDraft {
  mode: ComposerMode;
  text: string;
}

const EMPTY: ComposerDraft = { mode: "message", text: "" };

function parse(value: unknown): ComposerDraft | null {
  const { mode, text } = (value ?? {}) as Partial<ComposerDraft>;
  return (mode === "message" || mode === "question") && typeof text === "string"
    ? { mode, text }
    : null;
}

export function useComposerDraft(build: string) {
  const [store] = useState(() => createDraftStore(`composer:${build}`, parse));
  const [draft, setDraft] = useState(() => store.read() ?? EMPTY);
  useEffect(() => {
    if (draft.mode === EMPTY.mode && draft.text === EMPTY.text) store.clear();
    else store.write(draft);
  }, [draft, store]);
  const setMode = (mode: ComposerMode) => setDraft(({ text }) => ({ mode, text }));
  const setText = useCallback(
    (next: SetStateAction<string>) =>
      setDraft(({ mode, text }) => ({
        mode,
        text: typeof next === "function" ? next(text) : next,
      })),
    [],
  );
  return { ...draft, setMode, setText };
}
