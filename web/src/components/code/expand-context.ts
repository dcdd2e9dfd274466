// The unchanged lines between the hunks of a diff, which can be shown on request.
import type { DiffHunk, DiffLine, FileDiff } from "@/lib/api";
import { type DiffEntry, type DiffLayout, hunkTitle, layOut } from "./diff-entry";

/** How many lines one click shows. */
export const EXPAND_LINE_COUNT = 20;

/** Lines that are shown at both ends of a gap, by the index of the hunk that follows it. */
export type Expansion = ReadonlyMap<number, { top: number; bottom: number }>;

/** Hidden lines. `first` and `last` are numbers in the new file, or null if the file's length is not known. */
export interface Gap {
  kind: "gap";
  index: number;
  title: string;
  first: number;
  last: number | null;
  /** Where lines can be shown: below the previous hunk, and above the next one. */
  isFirst: boolean;
  isLast: boolean;
}

/** A line that is not part of the diff. */
export interface ContextRow {
  kind: "context";
  entry: DiffEntry;
}

export type FileRow = DiffEntry | Gap | ContextRow;

/**
 * The rows of a file. `lines` is the new file, or null if it is not known: then a gap has only its title.
 * In a truncated diff, the end of the last hunk is unknown, so that nothing is shown after it.
 */
export function fileRows(
  diff: FileDiff,
  layout: DiffLayout,
  lines: string[] | null,
  expansion: Expansion,
): FileRow[] {
  const rows: FileRow[] = [];
  let oldNext = 1;
  let newNext = 1;
  const addGap = (index: number, newEnd: number | null, title: string) => {
    const isLast = index === diff.hunks.length;
    const end = newEnd ?? (isLast ? (lines?.length ?? newNext - 1) : newNext - 1);
    const count = end - newNext + 1;
    if (count <= 0) {
      if (!isLast && newNext > 1) rows.push({ kind: "hunk", title });
      return;
    }
    const shown = expansion.get(index) ?? { top: 0, bottom: 0 };
    const top = lines ? Math.min(shown.top, count) : 0;
    const bottom = lines ? Math.min(shown.bottom, count - top) : 0;
    const shift = oldNext - newNext;
    for (let line = newNext; line < newNext + top; line++)
      rows.push(contextRow(line, shift, lines, layout));
    const [first, last] = [newNext + top, end - bottom];
    if (first <= last)
      rows.push({ kind: "gap", index, title, first, last, isFirst: index === 0, isLast });
    for (let line = last + 1; line <= end; line++)
      rows.push(contextRow(line, shift, lines, layout));
  };
  for (const [index, hunk] of diff.hunks.entries()) {
    const { oldFirst, newFirst, oldCount, newCount } = extent(hunk);
    addGap(index, newFirst - 1, hunkTitle(hunk));
    rows.push(...layOut(hunk.lines, layout));
    oldNext = oldFirst + oldCount;
    newNext = newFirst + newCount;
  }
  if (lines && !diff.truncated && diff.hunks.length > 0) addGap(diff.hunks.length, null, "");
  return rows;
}

/** Shows more lines of a gap: `top` below the previous hunk, `bottom` above the next one. */
export function expand(
  expansion: Expansion,
  { index, first, last }: Gap,
  direction: "top" | "bottom" | "all",
): Expansion {
  const { top, bottom } = expansion.get(index) ?? { top: 0, bottom: 0 };
  const count = direction === "all" ? (last ?? first) - first + 1 : EXPAND_LINE_COUNT;
  const next = new Map(expansion);
  next.set(
    index,
    direction === "bottom" ? { top, bottom: bottom + count } : { top: top + count, bottom },
  );
  return next;
}

/** Shows the whole file. */
export function expandAll(diff: FileDiff): Expansion {
  const everything = { top: Number.MAX_SAFE_INTEGER, bottom: 0 };
  return new Map(Array.from({ length: diff.hunks.length + 1 }, (_, index) => [index, everything]));
}

/** The ranges of a hunk. Git names the line before a range that is empty. */
export function extent({ lines, old_start, new_start }: DiffHunk) {
  const oldCount = lines.filter(({ kind }) => kind !== "insert").length;
  const newCount = lines.filter(({ kind }) => kind !== "delete").length;
  return {
    oldFirst: oldCount === 0 ? old_start + 1 : old_start,
    newFirst: newCount === 0 ? new_start + 1 : new_start,
    oldCount,
    newCount,
  };
}

function contextRow(
  number: number,
  shift: number,
  lines: string[] | null,
  layout: DiffLayout,
): ContextRow {
  const text = lines?.[number - 1] ?? "";
  const line: DiffLine = {
    kind: "context",
    old_line: number + shift,
    new_line: number,
    spans: text === "" ? [] : [{ text, changed: false }],
  };
  const entry: DiffEntry =
    layout === "inline" ? { kind: "line", line } : { kind: "pair", old: line, new: line };
  return { kind: "context", entry };
}
