// The state of editing a contract: unsaved text, saving, validation errors and conflicts.
import { createStore, type StoreApi } from "zustand";
import type { Contract } from "@/lib/api";
import { ApiError, isStatus } from "@/lib/api-error";
import type { DraftStore } from "@/lib/draft-store";
import type { Unsaved } from "./unsaved-edits";

export interface ValidationError {
  /** 1-based; null if the error concerns the whole text. */
  line: number | null;
  reason: string;
}

export interface EditState {
  text: string;
  /** The version that is being edited. */
  base: Contract;
  /** A version that someone else saved. Saving is blocked until the conflict is resolved. */
  theirs: Contract | null;
  validationError: ValidationError | null;
  error: unknown;
  saving: boolean;
  /** Whether unsaved text is kept in the browser. */
  kept: boolean;
}

export interface EditSession {
  store: StoreApi<EditState>;
  type: (text: string) => void;
  /** Resolves to whether it was saved. */
  save: () => Promise<boolean>;
  /** Saves `text` as a version after the other one. */
  keepMine: (text: string) => Promise<boolean>;
  /** Continues with the other version. */
  takeTheirs: () => void;
  /** Discards unsaved text. */
  discard: () => void;
}

export interface EditDeps {
  save: (content: string, version: number) => Promise<Contract>;
  fetch: () => Promise<Contract>;
  unsaved: DraftStore<Unsaved>;
}

export function createEditSession(current: Contract, deps: EditDeps): EditSession {
  const draft = deps.unsaved.read();
  // If the contract has changed since the draft was stored, the user has to choose.
  const isOutdated =
    draft !== null && draft.base !== current.version && draft.text !== current.content;
  const store = createStore<EditState>(() => ({
    text: draft?.text ?? current.content,
    base: current,
    theirs: isOutdated ? current : null,
    validationError: null,
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
    set({ saving: true, error: null, validationError: null });
    try {
      const saved = await deps.save(text, base.version);
      const typedOn = get().text;
      set({ base: saved, kept: keep(typedOn === text ? saved.content : typedOn, saved) });
      if (typedOn === text) set({ text: saved.content });
      return typedOn === text;
    } catch (error) {
      const validationError = validationErrorOf(error);
      if (validationError) set({ validationError });
      else if (isStatus(error, 409)) await onConflict(error);
      else set({ error });
      return false;
    } finally {
      set({ saving: false });
    }
  }

  async function onConflict(error: unknown) {
    const theirs = await deps.fetch().catch(() => null);
    if (!theirs) return set({ error });
    // Both texts are equal.
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
      set({ text: theirs.content, base: theirs, theirs: null, validationError: null });
      deps.unsaved.clear();
    },
    discard() {
      set(({ base }) => ({ text: base.content, validationError: null, error: null }));
      deps.unsaved.clear();
    },
  };
}

/** Parses `line 12: reason`. */
export function validationErrorOf(error: unknown): ValidationError | null {
  const said = error instanceof ApiError ? error.fields.content : undefined;
  if (said === undefined) return null;
  const [, line, reason] = /^line (\d+): ([\s\S]+)$/.exec(said) ?? [];
  return line && reason ? { line: Number(line), reason } : { line: null, reason: said };
}
