// Editing operations on the rows of a list answer.

/** The rows, and the caret position afterwards. */
export interface Rows {
  items: string[];
  row: number;
  caret: number;
}

/** The lines of a text without bullets and numbers. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(/^\s*(?:[-*•–]\s+|\d{1,3}[.)]\s+)?/, "").trimEnd())
    .filter(Boolean);
}

/** Pastes text over `start..end` of a row; null for a single line. */
export function paste(
  items: string[],
  row: number,
  [start, end]: [number, number],
  text: string,
): Rows | null {
  if (!/[\n\r\u2028\u2029]/.test(text.trim())) return null;
  const lines = linesOf(text);
  const into = items[row] ?? "";
  const first = into.slice(0, start) + (lines[0] ?? "");
  const last = lines.length > 1 ? (lines.at(-1) ?? "") : "";
  const rows = [first, ...lines.slice(1, -1), ...(lines.length > 1 ? [last] : [])];
  const end_row = rows.length - 1;
  const caret = rows[end_row]?.length ?? 0;
  rows[end_row] += into.slice(end);
  return { items: items.toSpliced(row, 1, ...rows), row: row + end_row, caret };
}

/** Enter: the text after the caret becomes a new row. */
export function split(items: string[], row: number, [start, end]: [number, number]): Rows {
  const text = items[row] ?? "";
  const rows = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()];
  return { items: items.toSpliced(row, 1, ...rows), row: row + 1, caret: 0 };
}

/** Removes a row and moves the caret to the end of the previous one. */
export function remove(items: string[], row: number): Rows {
  const left = items.toSpliced(row, 1);
  const before = Math.max(0, row - 1);
  return { items: left, row: before, caret: left[before]?.length ?? 0 };
}

/** Moves a row up or down with the caret; null at the edge. */
export function move(items: string[], row: number, by: -1 | 1, caret: number): Rows | null {
  const to = row + by;
  if (to < 0 || to >= items.length) return null;
  const text = items[row] ?? "";
  return { items: items.toSpliced(row, 1).toSpliced(to, 0, text), row: to, caret };
}

/** Restores a row at its position, or at the end if the list is shorter. */
export function insert(items: string[], row: number, text: string): Rows {
  const at = Math.min(row, items.length);
  return { items: items.toSpliced(at, 0, text), row: at, caret: text.length };
}
