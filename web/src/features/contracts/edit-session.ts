// One person's work on one contract: what is typed, kept in the browser, saved, refused, or meets another's.
import { createStore, type StoreApi } from "zustand";
import type { Contract } from "@/lib/api";
import type { DraftStore } from "@/lib/draft-store";
import { ApiError, isStatus } from "@/lib/problem";
import type { Unsaved } from "./unsaved";

export interface Refusal {
  /** From 1; null where the reason is about the whole text. */
  line: number | null;
  reason: string;
}

export interface EditState {
  text: string;
  /** What is typed over. */
  base: Contract;
  /** What somebody else saved meanwhile; until that is settled, nothing is saved. */
  theirs: Contract | null;
  refusal: Refusal | null;
  error: unknown;
  saving: boolean;
  /** Whether the browser keeps what is not saved. */
  kept: boolean;
}

export interface EditSession {
  store: StoreApi<EditState>;
  type: (text: string) => void;
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  /** Saves `text` over what the other one saved, which stays in the history. */
  keepMine: (text: string) => Promise<boolean>;
  /** Goes on with what the other one saved. */
  takeTheirs: () => void;
  /** Forgets what was typed. */
  discard: () => void;
}

export interface EditDeps {
  save: (content: string, version: number) => Promise<Contract>;
  fetch: () => Promise<Contract>;
  unsaved: DraftStore<Unsaved>;
}

export function createEditSession(current: Contract, deps: EditDeps): EditSession {
  const before = deps.unsaved.read();
  // Text from before is lost neither to a newer version nor the other way round.
  const meets =
    before !== null && before.base !== current.version && before.text !== current.content;
  const store = createStore<EditState>(() => ({
    text: before?.text ?? current.content,
    base: current,
    theirs: meets ? current : null,
    refusal: null,
    error: null,
    saving: false,
    kept: true,
  }));
  const { getState: get, setState: set } = store;

  function keep(text: string, base: Contract): boolean {
    if (text !== base.content) return deps.unsaved.write({ text, base: base.version });
    deps.unsaved.clear();
    return true;
  }

  async function save(): Promise<boolean> {
    const { text, base, saving, theirs } = get();
    if (saving || theirs) return false;
    if (text === base.content) return true;
    set({ saving: true, error: null, refusal: null });
    try {
      const saved = await deps.save(text, base.version);
      const typedOn = get().text;
      set({ base: saved, kept: keep(typedOn === text ? saved.content : typedOn, saved) });
      if (typedOn === text) set({ text: saved.content });
      return typedOn === text;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) set({ refusal });
      else if (isStatus(error, 409)) await meet(error);
      else set({ error });
      return false;
    } finally {
      set({ saving: false });
    }
  }

  async function meet(error: unknown) {
    const theirs = await deps.fetch().catch(() => null);
    if (!theirs) return set({ error });
    // Both wrote the same.
    if (theirs.content === get().text)
      return set({ base: theirs, kept: keep(theirs.content, theirs) });
    set({ theirs });
  }

  return {
    store,
    type(text) {
      const { base } = get();
      set({ text, kept: keep(text, base) });
    },
    save,
    keepMine(text) {
      const { theirs } = get();
      if (!theirs) return save();
      set({ text, base: theirs, theirs: null, kept: keep(text, theirs) });
      return save();
    },
    takeTheirs() {
      const { theirs } = get();
      if (!theirs) return;
      set({ text: theirs.content, base: theirs, theirs: null, refusal: null });
      deps.unsaved.clear();
    },
    discard() {
      set(({ base }) => ({ text: base.content, refusal: null, error: null }));
      deps.unsaved.clear();
    },
  };
}

/** `line 12: why`, as the server says it. */
export function refusalOf(error: unknown): Refusal | null {
  const said = error instanceof ApiError ? error.fields.content : undefined;
  if (said === undefined) return null;
  const [, line, reason] = /^line (\d+): ([\s\S]+)$/.exec(said) ?? [];
  return line && reason ? { line: Number(line), reason } : { line: null, reason: said };
}
