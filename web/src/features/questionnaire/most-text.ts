// What a page can hold in one field. Whether an answer is too long is for the server to say; this is
// where a browser would stand still while it lays the text out.

export const MOST_CHARACTERS = 50_000;
export const MOST_LINES = 500;

/** Why this cannot be put into a field, or nothing. */
export function tooMuch(text: string, isList: boolean): string {
  if (text.length > MOST_CHARACTERS) return "This is too long for one answer. Nothing was pasted.";
  const lines = isList ? text.split("\n", MOST_LINES + 1).length : 1;
  return lines > MOST_LINES ? "These are too many lines for one list. Nothing was pasted." : "";
}
