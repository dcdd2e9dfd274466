// Saves what is typed, half a second after typing stops; loses nothing when someone else saved first.
import { createStore, type StoreApi } from "zustand";
import { ApiError, isStatus } from "./problem";

export const SAVE_AFTER_MS = 500;

/** What the server keeps; its version grows with each change. */
interface Versioned {
  version: number;
}

/** `D` is what is typed, `R` what the server keeps of it. */
export interface SaverState<D, R extends Versioned> {
  draft: D;
  saved: R;
  status: "saved" | "waiting" | "saving" | "failed" | "conflict";
  /** What the server holds, while a person has to choose between the two. */
  theirs: R | null;
  /** Why it could not be saved. */
  error: unknown;
  /** Whether what is not saved yet would survive the page. */
  kept: boolean;
}

export interface Saver<D, R extends Versioned> {
  store: StoreApi<SaverState<D, R>>;
  type: (draft: D) => void;
  /** Saves at once what is not saved yet. */
  flush: () => Promise<void>;
  /** Ends a conflict with what shall be saved over the other version. */
  settle: (draft: D) => Promise<void>;
  /** Ends a conflict with the other version. */
  takeTheirs: () => void;
  /** Saves something else than what is typed; throws where the server refuses it. */
  submit: (draft: D) => Promise<void>;
  /** Takes in what was read anew, unless something is being typed. */
  offer: (record: R) => void;
}

export interface SaverDeps<D, R extends Versioned> {
  draftOf: (record: R) => D;
  same: (one: D, other: D) => boolean;
  save: (draft: D, version: number) => Promise<R>;
  fetch: () => Promise<R>;
  onSaved?: (record: R) => void;
  /** Joins what two people changed, or null where one of them has to choose. */
  merge?: (base: D, mine: D, theirs: D) => D | null;
  /** Keeps what is not saved yet beyond the page, or forgets it; whether that was possible. */
  keep?: (draft: D | null, base: R) => boolean;
}

/** Text from before, which was never saved, and the version that it was typed into. */
export interface Unsaved<D, R extends Versioned> {
  draft: D;
  base: R;
}

export function createSaver<D, R extends Versioned>(
  loaded: R,
  deps: SaverDeps<D, R>,
  unsaved: Unsaved<D, R> | null = null,
): Saver<D, R> {
  const { draftOf, same } = deps;
  const store = createStore<SaverState<D, R>>(() => ({
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
    if (same(draft, draftOf(saved))) return rest(saved);
    set({ status: "saving" });
    try {
      adopt(await deps.save(draft, saved.version), draft);
    } catch (error) {
      if (isStatus(error, 409)) await disagree(error);
      else set({ status: "failed", error });
    }
  }

  function adopt(record: R, sent: D) {
    deps.onSaved?.(record);
    if (same(get().draft, sent)) return rest(record);
    set({ saved: record, status: "waiting", error: null, kept: keep(get().draft, record) });
    wait();
  }

  /** Nothing is left to save. */
  function rest(saved: R) {
    keep(null, saved);
    set({ saved, status: "saved", theirs: null, error: null, kept: false });
  }

  async function disagree(refusal: unknown) {
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
    timer = setTimeout(() => void flush(), SAVE_AFTER_MS);
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
    async settle(draft) {
      const { theirs } = get();
      if (!theirs) return;
      set({ draft, saved: theirs, theirs: null, status: "waiting", kept: keep(draft, theirs) });
      await flush();
    },
    takeTheirs() {
      const { theirs } = get();
      if (!theirs) return;
      set({ draft: draftOf(theirs) });
      rest(theirs);
    },
    async submit(draft) {
      const record = await deps.save(draft, get().saved.version);
      deps.onSaved?.(record);
      set({ draft: draftOf(record) });
      rest(record);
    },
    offer(record) {
      const { saved, status } = get();
      if (status !== "saved" || record.version <= saved.version) return;
      set({ saved: record, draft: draftOf(record) });
    },
  };
}

/** Whether trying again may help: the server did not answer, or could not. */
export const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500;
