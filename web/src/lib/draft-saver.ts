// Edits a versioned resource: unsaved changes, saving, and conflicts with changes made elsewhere.
import { createStore, type StoreApi } from "zustand";
import { isStatus } from "./api-error";

/** A resource whose version grows with each change. */
interface Versioned {
  version: number;
}

/** `D` is the draft, `R` the stored resource. */
export interface DraftState<D, R extends Versioned> {
  draft: D;
  /** The version that the draft is based on. */
  saved: R;
  status: "saved" | "unsaved" | "saving" | "failed" | "conflict";
  /** The server's version, while the user has to resolve a conflict. */
  theirs: R | null;
  /** Why saving failed. */
  error: unknown;
  /** Whether the unsaved draft is kept in the browser. */
  kept: boolean;
}

export interface DraftSaver<D, R extends Versioned> {
  store: StoreApi<DraftState<D, R>>;
  type: (draft: D) => void;
  /** Saves unsaved changes immediately. Resolves to whether nothing is left to save. */
  flush: () => Promise<boolean>;
  /** Resolves a conflict by saving `draft` over the other version. */
  resolve: (draft: D) => Promise<boolean>;
  /** Discards the draft; a conflict is resolved by using the other version. */
  discard: () => void;
  /** Saves another draft; rejects if the server rejects it. */
  submit: (draft: D) => Promise<void>;
  /** Uses a newer server version, unless there are unsaved changes. */
  receive: (record: R) => void;
}

export interface DraftSaverDeps<D, R extends Versioned> {
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

export function createDraftSaver<D, R extends Versioned>(
  loaded: R,
  deps: DraftSaverDeps<D, R>,
  unsaved: Unsaved<D, R> | null = null,
): DraftSaver<D, R> {
  const { draftOf, same } = deps;
  const store = createStore<DraftState<D, R>>(() => ({
    draft: unsaved?.draft ?? draftOf(loaded),
    saved: unsaved?.base ?? loaded,
    status: unsaved ? "unsaved" : "saved",
    theirs: null,
    error: null,
    kept: unsaved !== null,
  }));
  const { getState: get, setState: set } = store;
  let running: Promise<void> | undefined;
  if (unsaved && unsaved.base.version < loaded.version) reconcile(loaded);

  async function flush(): Promise<boolean> {
    if (get().status === "saving") {
      await running;
      // Failures are retried by the caller of the running save.
      if (get().status !== "unsaved") return get().status === "saved";
    }
    const { draft, saved, status } = get();
    if (status === "unsaved" || status === "failed") {
      if (same(draft, draftOf(saved))) setSaved(saved);
      else {
        running = save(draft, saved);
        await running;
      }
    }
    return get().status === "saved";
  }

  async function save(draft: D, base: R) {
    set({ status: "saving" });
    try {
      adopt(await deps.save(draft, base.version), draft);
    } catch (error) {
      if (isStatus(error, 409)) await onConflict(error);
      else set({ status: "failed", error });
    }
  }

  function adopt(record: R, sent: D) {
    deps.onSaved?.(record);
    if (same(get().draft, sent)) return setSaved(record);
    set({ saved: record, status: "unsaved", error: null, kept: keep(get().draft, record) });
  }

  /** Nothing is left to save. */
  function setSaved(saved: R) {
    keep(null, saved);
    set({ saved, status: "saved", theirs: null, error: null, kept: false });
  }

  async function onConflict(refusal: unknown) {
    try {
      const theirs = await deps.fetch();
      if (theirs.version === get().saved.version) throw refusal;
      if (!reconcile(theirs)) return;
      deps.onSaved?.(theirs);
    } catch (error) {
      return set({ status: "failed", error });
    }
    await flush();
  }

  /** Merges a newer version into the draft. Returns false if the user has to choose. */
  function reconcile(theirs: R): boolean {
    const { draft, saved } = get();
    const other = draftOf(theirs);
    const merged = same(draft, other)
      ? draft
      : (deps.merge?.(draftOf(saved), draft, other) ?? null);
    if (merged === null) set({ status: "conflict", theirs });
    else set({ draft: merged, saved: theirs, status: "unsaved", kept: keep(merged, theirs) });
    return merged !== null;
  }

  function keep(draft: D | null, base: R): boolean {
    return deps.keep?.(draft, base) ?? false;
  }

  return {
    store,
    flush,
    type(draft) {
      const { status, saved } = get();
      const busy = status === "conflict" || status === "saving";
      set({ draft, status: busy ? status : "unsaved", kept: keep(draft, saved) });
    },
    async resolve(draft) {
      const { theirs } = get();
      if (!theirs) return false;
      set({ draft, saved: theirs, theirs: null, status: "unsaved", kept: keep(draft, theirs) });
      return flush();
    },
    discard() {
      const { theirs, saved } = get();
      const current = theirs ?? saved;
      set({ draft: draftOf(current) });
      setSaved(current);
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
