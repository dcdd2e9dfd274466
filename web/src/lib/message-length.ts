// How much can be said at once; an answer of the form holds as much.
import { formatCount } from "./format";

const LONGEST = 20_000;

/** Why this cannot be said, or nothing. Characters are counted as the server does. */
export function tooLong(text: string): string | null {
  if (text.length <= LONGEST) return null;
  const count = [...text.trim()].length;
  return count > LONGEST
    ? `Shorten this to ${formatCount(LONGEST)} characters; it has ${formatCount(count)}.`
    : null;
}
