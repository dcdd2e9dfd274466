// Unsaved input of the signed-in user, kept in the browser.
let owner = "";

/** Applies to stores created after the call. */
export function setDraftOwner(userId: string) {
  owner = userId;
}

export interface DraftStore<T> {
  read: () => T | null;
  /** Returns false if the storage is full or unavailable. */
  write: (draft: T) => boolean;
  /** Removes what this page read or wrote; newer data of another tab is kept. */
  clear: () => void;
}

/** `check` returns the stored value, or null if it is invalid. */
export function createDraftStore<T>(
  name: string,
  check: (value: unknown) => T | null,
  storage: Storage = localStorage,
): DraftStore<T> {
  const key = `forgeguard-draft:${owner}:${name}`;
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
        // Storage is unavailable.
      }
      last = null;
    },
  };
}
