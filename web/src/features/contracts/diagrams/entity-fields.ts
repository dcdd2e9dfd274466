// Reads fields from rows of a table or items of a list.
import { type MarkdownTable, plain } from "./markdown-sections";

/** A field as described in the text. */
export interface WrittenField {
  /** `books[].loan.to` for parts of a document. */
  name: string;
  type: string;
  note: string;
}

const FIRST_HEAD = /^(field|column|attribute|property|name|key|path)s?( name)?$/;
const TYPES =
  /\b(uuid|ulid|text|string|str|varchar|char|(big|small)?(int|serial)(eger)?|number|numeric|float|double|real|decimal|money|bool(ean)?|date|time|timestamp(tz)?|datetime|duration|json|jsonb|blob|bytes|binary|enum|array|list|map|object|url|email)\b/i;

/** Empty if the table is not about fields. */
export function fieldsOfTable({ head, rows }: MarkdownTable): WrittenField[] {
  if (head.length < 2 || !FIRST_HEAD.test(head[0] ?? "")) return [];
  const typeAt = Math.max(
    1,
    head.findIndex((cell) => /\btype\b/.test(cell)),
  );
  return rows.flatMap((cells) => {
    const name = plain(cells[0] ?? "");
    if (!name) return [];
    const rest = cells.filter((_, index) => index !== 0 && index !== typeAt);
    return { name, type: plain(cells[typeAt] ?? ""), note: plain(rest.join("; ")) };
  });
}

/** Empty if most items are sentences instead of fields. */
export function fieldsOfItems(items: string[]): WrittenField[] {
  const fields = items.flatMap((item) => {
    const [, name, rest] =
      /^[`*_]*([\p{L}_][\p{L}\p{N}_]*)[`*_]*\s*[:(—–-]\s*(.+)$/u.exec(item) ?? [];
    if (!name || !rest) return [];
    const [, type = "", note = ""] = /^([^,;:)—–]+)[,;:)—–]*\s*(.*)$/.exec(plain(rest)) ?? [];
    return TYPES.test(type) ? { name, type: type.trim(), note } : [];
  });
  return fields.length * 2 > items.length ? fields : [];
}
