// A row of a diff: the head of a hunk or one of its lines.
import type { DiffLine, FileDiff } from "@/lib/api";

export type DiffEntry = { kind: "hunk"; header: string } | { kind: "line"; line: DiffLine };

export const diffEntries = (diff: FileDiff): DiffEntry[] =>
  diff.hunks.flatMap((hunk) => [
    { kind: "hunk" as const, header: hunk.header },
    ...hunk.lines.map((line) => ({ kind: "line" as const, line })),
  ]);
