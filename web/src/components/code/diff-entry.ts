// A row of a diff: the head of a hunk or one of its lines.
import type { DiffHunk, DiffLine, FileDiff } from "@/lib/api";

export type DiffEntry = { kind: "hunk"; title: string } | { kind: "line"; line: DiffLine };

export const diffEntries = (diff: FileDiff): DiffEntry[] =>
  diff.hunks.flatMap((hunk) => [
    { kind: "hunk" as const, title: hunkTitle(hunk) },
    ...hunk.lines.map((line) => ({ kind: "line" as const, line })),
  ]);

/** Where the hunk stands: its first line, and what it stands in where git knows. */
export function hunkTitle({ header, new_start, old_start }: DiffHunk): string {
  const within = /^@@[^@]*@@ ?(.*)$/.exec(header)?.[1]?.trim();
  const line = `Line ${new_start || old_start}`;
  return within ? `${line} · ${within}` : line;
}
