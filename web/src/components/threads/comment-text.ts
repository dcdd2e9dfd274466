// The text of a comment around its suggested edit.
const SUGGESTION = /^[ \t]*(`{3,})[ \t]*suggestion[ \t]*\r?\n(?:[\s\S]*?\r?\n)?[ \t]*\1`*[ \t]*$/m;

/** The Markdown before and after the first suggestion, which is shown separately. */
export function aroundSuggestion(text: string): [before: string, after: string] {
  const found = SUGGESTION.exec(text);
  if (!found) return [text, ""];
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}
