// Which answers the server refused, by their key.
import { ApiError } from "@/lib/problem";

const AT = "answers.";

export function errorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.fields)
      .filter(([field]) => field.startsWith(AT))
      .map(([field, reason]) => [field.slice(AT.length), sentence(reason)]),
  );
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
