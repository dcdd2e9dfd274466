// Unsaved text of a contract, with the version that it is based on.
import { createDraftStore, type DraftStore } from "@/lib/draft-store";

export interface Unsaved {
  text: string;
  base: number;
}

export const unsavedStore = (project: string, type: string): DraftStore<Unsaved> =>
  createDraftStore(`contract:${project}:${type}`, check);

function check(value: unknown): Unsaved | null {
  if (typeof value !== "object" || value === null) return null;
  const { text, base } = value as Partial<Unsaved>;
  return typeof text === "string" && Number.isInteger(base) ? { text, base: base as number } : null;
}
