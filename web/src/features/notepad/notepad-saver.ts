// Saves what is typed, half a second after typing stops; keeps both texts when someone else saved first.
import { createStore, type StoreApi } from "zustand";
import type { Notepad } from "@/lib/api";
import { isStatus } from "@/lib/problem";

export const SAVE_AFTER_MS = 500;
export const NOTEPAD_LIMIT = 20_000;

export interface NotepadState {
  text: string;
  saved: Notepad;
  status: "saved" | "waiting" | "saving" | "failed" | "conflict";
  /** What the server holds while the two differ. */
  theirs: Notepad | null;
}

export interface NotepadSaver {
  store: StoreApi<NotepadState>;
  type: (text: string) => void;
  /** Saves at once what is not saved yet. */
  flush: () => Promise<void>;
  keepMine: () => Promise<void>;
  takeTheirs: () => void;
}

export interface NotepadDeps {
  save: (content: string, version: number) => Promise<Notepad>;
  fetch: () => Promise<Notepad>;
  onSaved?: (notepad: Notepad) => void;
}

export function createNotepadSaver(loaded: Notepad, deps: NotepadDeps): NotepadSaver {
  const store = createStore<NotepadState>(() => ({
    text: loaded.content,
    saved: loaded,
    status: "saved",
    theirs: null,
  }));
  const { getState: get, setState: set } = store;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    const { text, saved, status } = get();
    if (text === saved.content || status === "saving" || status === "conflict") return;
    set({ status: "saving" });
    try {
      const answer = await deps.save(text, saved.version);
      const typedOn = get().text !== text;
      set({ saved: answer, status: typedOn ? "waiting" : "saved" });
      deps.onSaved?.(answer);
      if (typedOn) wait();
    } catch (error) {
      if (!isStatus(error, 409)) return set({ status: "failed" });
      set({ status: "conflict", theirs: await deps.fetch().catch(() => null) });
    }
  }

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), SAVE_AFTER_MS);
  }

  return {
    store,
    type(text) {
      const { status } = get();
      set({ text, status: status === "conflict" || status === "saving" ? status : "waiting" });
      if (status !== "conflict") wait();
    },
    flush,
    async keepMine() {
      const theirs = get().theirs ?? (await deps.fetch());
      set({ saved: theirs, theirs: null, status: "waiting" });
      await flush();
      if (get().status === "waiting") set({ status: "saved" });
    },
    takeTheirs() {
      const { theirs } = get();
      if (theirs) set({ text: theirs.content, saved: theirs, theirs: null, status: "saved" });
    },
  };
}
