// Labels of verdicts.
import type { Verdict } from "@/lib/api";
import type { Tone } from "@/lib/tone";

export const VERDICT: Record<Verdict, { label: string; tone: Tone; meaning: string }> = {
  CERTIFIED: {
    label: "Certified",
    tone: "good",
    meaning:
      "Every phase is signed off, all gates pass on the sealed commit, and there are no open issues.",
  },
  CONDITIONAL: {
    label: "Conditional",
    tone: "waiting",
    meaning:
      "All gates pass, but there are open issues that do not block. Review them before you merge.",
  },
  FLAGGED: {
    label: "Flagged",
    tone: "bad",
    meaning: "A requirement is not met. Do not merge this branch.",
  },
};
