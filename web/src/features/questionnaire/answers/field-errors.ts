// The server's validation errors of answers, by key.

import { ApiError } from "@/lib/api-error";
import { capitalized } from "@/lib/format";

const AT = "answers.";

export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.fields)
      .filter(([field]) => field.startsWith(AT))
      .map(([field, reason]) => [field.slice(AT.length), sentence(reason)]),
  );
}

const sentence = (text: string) => `${capitalized(text)}${/[.!?]$/.test(text) ? "" : "."}`;
