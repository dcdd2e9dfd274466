// Rows of a diff: hunk headers, lines, and pairs of lines side by side.
import type { DiffHunk, DiffLine, FileDiff } from "@/lib/api";

export type DiffEntry =
  | { kind: "hunk"; title: string }
  | { kind: "line"; line: DiffLine }
  | { kind: "pair"; old: DiffLine | null; new: DiffLine | null };

export type DiffLayout = "inline" | "split";

export const diffEntries = (diff: FileDiff, layout: DiffLayout): DiffEntry[] =>
  diff.hunks.flatMap((hunk) => [
    { kind: "hunk" as const, title: hunkTitle(hunk) },
    ...layOut(hunk.lines, layout),
  ]);

/** The rows of lines that follow each other. */
export const layOut = (lines: DiffLine[], layout: DiffLayout): DiffEntry[] =>
  layout === "inline" ? lines.map((line) => ({ kind: "line" as const, line })) : pairs(lines);

/** Pairs removed lines with added ones; the longer side continues alone. */
function pairs(lines: DiffLine[]): DiffEntry[] {
  const rows: DiffEntry[] = [];
  let gone: DiffLine[] = [];
  let came: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(gone.length, came.length); index++)
      rows.push({ kind: "pair", old: gone[index] ?? null, new: came[index] ?? null });
    gone = [];
    came = [];
  };
  for (const line of lines) {
    if (line.kind === "insert") came.push(line);
    else if (line.kind === "delete") {
      // A removed line after added ones starts another change.
      if (came.length > 0) flush();
      gone.push(line);
    } else {
      flush();
      rows.push({ kind: "pair", old: line, new: line });
    }
  }
  flush();
  return rows;
}

/** The hunk's first line, and its function if git knows it. */
export function hunkTitle({ header, new_start, old_start }: DiffHunk): string {
  const within = /^@@[^@]*@@ ?(.*)$/.exec(header)?.[1]?.trim();
  const line = `Line ${new_start || old_start}`;
  return within ? `${line} · ${within}` : line;
}

/** The name of a line in addresses: `R12` in the new file, `L7` in the old one. */
export const lineName = (line: DiffLine): string =>
  line.kind === "delete" ? `L${line.old_line}` : `R${line.new_line}`;

export function linesOf(entry: DiffEntry): DiffLine[] {
  if (entry.kind === "hunk") return [];
  return entry.kind === "line" ? [entry.line] : [entry.old, entry.new].filter((line) => !!line);
}

/** The lines of a row; a line on both sides is returned once. */
export const linesOnce = (entry: DiffEntry): DiffLine[] => [...new Set(linesOf(entry))];
