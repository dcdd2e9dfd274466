// What was typed and not saved yet, kept in this browser until it is.
export interface DraftStore<T> {
  read: () => T | null;
  /** Whether the browser had room for it. */
  write: (draft: T) => boolean;
  /** Forgets what this page wrote or read; what another page has written since stays. */
  clear: () => void;
}

/** `check` says what a stored value is, or null if it is nothing that can be used. */
export function createDraftStore<T>(
  name: string,
  check: (value: unknown) => T | null,
  storage: Storage = localStorage,
): DraftStore<T> {
  const key = `forgeguard-draft:${name}`;
  let last: string | null = null;
  return {
    read() {
      try {
        last = storage.getItem(key);
        return last === null ? null : check(JSON.parse(last));
      } catch {
        return null;
      }
    },
    write(draft) {
      try {
        last = JSON.stringify(draft);
        storage.setItem(key, last);
        return true;
      } catch {
        return false;
      }
    },
    clear() {
      try {
        if (last !== null && storage.getItem(key) === last) storage.removeItem(key);
      } catch {
        // A browser that keeps nothing has nothing to forget.
      }
      last = null;
    },
  };
}
