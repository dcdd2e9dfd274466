// How an error came to its end, in plain words.
const METHODS: Record<string, string> = {
  "auto-fix": "Fixed by the fixer",
  "phase-complete": "Cleared at the end of its phase",
  dismissed: "Dismissed",
};

export const resolutionOf = (method: string | null | undefined) =>
  METHODS[method ?? ""] ?? "Resolved";
