// Unsaved answers, kept in the browser per project.
import type { Questionnaire } from "@/lib/api";
import type { Unsaved } from "@/lib/draft-saver";
import { createDraftStore } from "@/lib/draft-store";
import { isNested } from "../transfer/answers-file";
import { type Draft, flatten, nest } from "./draft";

type Part = Pick<Questionnaire, "size" | "answers">;

interface Stored extends Part {
  base: Part & { version: number };
}

export function createUnsavedAnswers(project: string) {
  const store = createDraftStore<Stored>(`questionnaire:${project}`, check);
  return {
    /** The stored draft, with the version that it was based on. */
    read(loaded: Questionnaire): Unsaved<Draft, Questionnaire> | null {
      const stored = store.read();
      if (!stored) return null;
      const draft = { size: stored.size, answers: flatten(stored.answers) };
      return { draft, base: { ...loaded, ...stored.base } };
    },
    keep(draft: Draft | null, { size, answers, version }: Stored["base"]): boolean {
      if (draft)
        return store.write({
          size: draft.size,
          answers: nest(draft.answers),
          base: { size, answers, version },
        });
      store.clear();
      return false;
    },
  };
}

function check(value: unknown): Stored | null {
  const { base, ...draft } = (value ?? {}) as Partial<Stored>;
  return isPart(draft) && isPart(base) && Number.isInteger(base.version)
    ? { ...draft, base }
    : null;
}

const isPart = <T extends Partial<Part>>(part: T | undefined): part is T & Part =>
  (part?.size === "full" || part?.size === "mini") && isNested(part.answers);
