import { ApiError } from "@/lib/api-error";

export interface ValidationError {
  /** 1-based; null if the error concerns the whole text. */
  line: number | null;
  reason: string;
}

/** Parses `line 12: reason`. */
export function validationErrorOf(error: unknown): ValidationError | null {
  const said = error instanceof ApiError ? error.fields.content : undefined;
  if (said === undefined) return null;
  const [, line, reason] = /^line (\d+): ([\s\S]+)$/.exec(said) ?? [];
  return line && reason ? { line: Number(line), reason } : { line: null, reason: said };
}
