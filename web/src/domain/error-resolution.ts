// Labels of how an error was resolved.
const METHODS: Record<string, string> = {
  "auto-fix": "Fixed automatically",
  "phase-complete": "Resolved at the end of its phase",
  dismissed: "Dismissed",
};

export const resolutionOf = (method: string | null | undefined) =>
  METHODS[method ?? ""] ?? "Resolved";
