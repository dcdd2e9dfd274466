// Limits beyond which laying out a field would freeze the browser. Whether an answer is too long is
// decided by the server.

export const MAX_CHARACTERS = 50_000;
export const MAX_LINES = 500;

/** An error message if the text is too long for a field. */
export function tooMuch(text: string, isList: boolean): string {
  if (text.length > MAX_CHARACTERS) return "This is too long for one answer. Nothing was pasted.";
  const lines = isList ? text.split("\n", MAX_LINES + 1).length : 1;
  return lines > MAX_LINES ? "This is too many lines for one list. Nothing was pasted." : "";
}
