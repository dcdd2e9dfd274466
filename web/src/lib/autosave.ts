// Saves input half a second after typing stops, and detects concurrent changes.
import { createStore, type StoreApi } from "zustand";
import { ApiError, isStatus } from "./api-error";

export const SAVE_DELAY_MS = 500;

/** A resource whose version grows with each change. */
interface Versioned {
  version: number;
}

/** `D` is the draft, `R` the stored resource. */
export interface AutosaveState<D, R extends Versioned> {
  draft: D;
  saved: R;
  status: "saved" | "waiting" | "saving" | "failed" | "conflict";
  /** The server's version, while the user has to resolve a conflict. */
  theirs: R | null;
  /** Why saving failed. */
  error: unknown;
  /** Whether the unsaved draft is kept in the browser. */
  kept: boolean;
}

export interface Autosave<D, R extends Versioned> {
  store: StoreApi<AutosaveState<D, R>>;
  type: (draft: D) => void;
  /** Saves unsaved changes immediately. */
  flush: () => Promise<void>;
  /** Resolves a conflict by saving `draft` over the other version. */
  resolve: (draft: D) => Promise<void>;
  /** Resolves a conflict by discarding the draft. */
  discard: () => void;
  /** Saves another draft; rejects if the server rejects it. */
  submit: (draft: D) => Promise<void>;
  /** Uses a newer server version, unless there are unsaved changes. */
  receive: (record: R) => void;
}

export interface AutosaveDeps<D, R extends Versioned> {
  draftOf: (record: R) => D;
  same: (one: D, other: D) => boolean;
  save: (draft: D, version: number) => Promise<R>;
  fetch: () => Promise<R>;
  onSaved?: (record: R) => void;
  /** Merges concurrent changes, or returns null if the user has to choose. */
  merge?: (base: D, mine: D, theirs: D) => D | null;
  /** Stores the unsaved draft in the browser or removes it; returns whether it is stored. */
  keep?: (draft: D | null, base: R) => boolean;
}

/** A draft from an earlier visit, and the version that it was based on. */
export interface Unsaved<D, R extends Versioned> {
  draft: D;
  base: R;
}

export function createAutosave<D, R extends Versioned>(
  loaded: R,
  deps: AutosaveDeps<D, R>,
  unsaved: Unsaved<D, R> | null = null,
): Autosave<D, R> {
  const { draftOf, same } = deps;
  const store = createStore<AutosaveState<D, R>>(() => ({
    draft: unsaved?.draft ?? draftOf(loaded),
    saved: unsaved?.base ?? loaded,
    status: unsaved ? "waiting" : "saved",
    theirs: null,
    error: null,
    kept: unsaved !== null,
  }));
  const { getState: get, setState: set } = store;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    const { draft, saved, status } = get();
    if (status === "saved" || status === "saving" || status === "conflict") return;
    if (same(draft, draftOf(saved))) return setSaved(saved);
    set({ status: "saving" });
    try {
      adopt(await deps.save(draft, saved.version), draft);
    } catch (error) {
      if (isStatus(error, 409)) await onConflict(error);
      else set({ status: "failed", error });
    }
  }

  function adopt(record: R, sent: D) {
    deps.onSaved?.(record);
    if (same(get().draft, sent)) return setSaved(record);
    set({ saved: record, status: "waiting", error: null, kept: keep(get().draft, record) });
    wait();
  }

  /** Nothing is left to save. */
  function setSaved(saved: R) {
    keep(null, saved);
    set({ saved, status: "saved", theirs: null, error: null, kept: false });
  }

  async function onConflict(refusal: unknown) {
    try {
      const theirs = await deps.fetch();
      const { draft, saved } = get();
      if (theirs.version === saved.version) throw refusal;
      const merged = deps.merge?.(draftOf(saved), draft, draftOf(theirs)) ?? null;
      if (merged === null) return set({ status: "conflict", theirs });
      set({ draft: merged, saved: theirs, status: "waiting", kept: keep(merged, theirs) });
    } catch (error) {
      return set({ status: "failed", error });
    }
    deps.onSaved?.(get().saved);
    await flush();
  }

  const keep = (draft: D | null, base: R) => deps.keep?.(draft, base) ?? false;

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), SAVE_DELAY_MS);
  }

  return {
    store,
    flush,
    type(draft) {
      const { status, saved } = get();
      const busy = status === "conflict" || status === "saving";
      set({ draft, status: busy ? status : "waiting", kept: keep(draft, saved) });
      if (status !== "conflict") wait();
    },
    async resolve(draft) {
      const { theirs } = get();
      if (!theirs) return;
      set({ draft, saved: theirs, theirs: null, status: "waiting", kept: keep(draft, theirs) });
      await flush();
    },
    discard() {
      const { theirs } = get();
      if (!theirs) return;
      set({ draft: draftOf(theirs) });
      setSaved(theirs);
    },
    async submit(draft) {
      const record = await deps.save(draft, get().saved.version);
      deps.onSaved?.(record);
      set({ draft: draftOf(record) });
      setSaved(record);
    },
    receive(record) {
      const { saved, status } = get();
      if (status !== "saved" || record.version <= saved.version) return;
      set({ saved: record, draft: draftOf(record) });
    },
  };
}

/** Whether retrying may help: no response, or a server error. */
export const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500;
