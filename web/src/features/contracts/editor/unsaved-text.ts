// Unsaved text of a contract, kept in the browser with the version that it is based on.
import type { Contract } from "@/lib/api";
import type { Unsaved } from "@/lib/draft-saver";
import { createDraftStore } from "@/lib/draft-store";

interface Stored {
  text: string;
  base: number;
}

export function createUnsavedText(project: string, type: string) {
  const store = createDraftStore<Stored>(`contract:${project}:${type}`, check);
  return {
    read(loaded: Contract): Unsaved<string, Contract> | null {
      const stored = store.read();
      return stored && { draft: stored.text, base: { ...loaded, version: stored.base } };
    },
    keep(text: string | null, base: Contract): boolean {
      if (text !== null && text !== base.content) return store.write({ text, base: base.version });
      store.clear();
      return false;
    },
  };
}

function check(value: unknown): Stored | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("text" in value && "base" in value)) return null;
  const { text, base } = value;
  return typeof text === "string" && typeof base === "number" && Number.isInteger(base)
    ? { text, base }
    : null;
}
