// Guesses which entity a field refers to from its name, type and note.
import type { WrittenField } from "./entity-fields";

const LEADS =
  /\b(references?|foreign key|fk|refers to|belongs to|points (?:to|at)|links? to|names one of)\b|→|->/i;

/** Type names that are not entity names. */
const PLAIN =
  /\b(array|list|map|set|object|record|text|string|number|date|time|json|of|or|null)\b/gi;

export function findTarget({ name, type, note }: WrittenField, entities: string[]): string | null {
  const byKey = new Map(entities.map((entity) => [keyOf(entity), entity]));
  const named = (text: string) => firstNamed(text, byKey);
  const [, owner] = /^(.+?)_?(?:ids?|uuids?|refs?|keys?)$/i.exec(name) ?? [];
  const isReference = owner !== undefined && /(_|[a-z](?=[IUR]))/.test(name);
  return (
    named(type.replace(PLAIN, " ")) ??
    (LEADS.test(note) ? named(note.slice(note.search(LEADS))) : null) ??
    (isReference ? (lastNamed(owner, byKey) ?? named(note)) : null)
  );
}

const wordsOf = (text: string): string[] =>
  text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").match(/[\p{L}\p{N}]+/gu) ?? [];

/** Normalizes names: `TaskNotes`, `task_note` and "task notes" are equal. */
const keyOf = (text: string): string => wordsOf(text).map(singular).join(" ");

function singular(word: string): string {
  const low = word.toLowerCase();
  if (low.length < 4 || /(ss|us|is)$/.test(low)) return low;
  if (low.endsWith("ies")) return `${low.slice(0, -3)}y`;
  return low.replace(/(?<=x|ch|sh|ss)es$|s$/, "");
}

/** The first entity in the text; the longest match wins. */
function firstNamed(text: string, byKey: Map<string, string>): string | null {
  const words = wordsOf(text).map(singular);
  for (let from = 0; from < words.length; from++) {
    for (let to = Math.min(words.length, from + 4); to > from; to--) {
      const found = byKey.get(words.slice(from, to).join(" "));
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** `assigned_member` refers to `member`. */
function lastNamed(text: string, byKey: Map<string, string>): string | null {
  const words = wordsOf(text).map(singular);
  for (let from = 0; from < words.length; from++) {
    const found = byKey.get(words.slice(from).join(" "));
    if (found !== undefined) return found;
  }
  return null;
}
