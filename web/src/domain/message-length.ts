// The length limit of messages and text answers.
import { formatCount } from "@/lib/format";

const MAX_CHARACTERS = 20_000;

/** An error message if the text is too long. Counts characters as the server does. */
export function tooLong(text: string): string | null {
  if (text.length <= MAX_CHARACTERS) return null;
  const count = [...text.trim()].length;
  return count > MAX_CHARACTERS
    ? `Shorten this to ${formatCount(MAX_CHARACTERS)} characters; it has ${formatCount(count)}.`
    : null;
}
