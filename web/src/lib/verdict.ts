// What a verdict means, in plain words.
import type { Verdict } from "./api";
import type { Tone } from "./tone";

export const VERDICT: Record<Verdict, { label: string; tone: Tone; meaning: string }> = {
  CERTIFIED: {
    label: "Certified",
    tone: "good",
    meaning:
      "Every phase is signed off, every gate is green on the sealed commit, and nothing is left open.",
  },
  CONDITIONAL: {
    label: "Conditional",
    tone: "waiting",
    meaning:
      "All gates are green, but something that does not block is still open. Read it before you merge.",
  },
  FLAGGED: {
    label: "Flagged",
    tone: "bad",
    meaning: "Something that must hold does not. Do not merge this branch as it is.",
  },
};
