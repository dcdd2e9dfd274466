import { describe, expect, it } from "vitest";
import type { DiffLine, FileDiff } from "@/lib/api";
import { expand, expandAll, type FileRow, fileRows, type Gap } from "./expand-context";

const line = (kind: DiffLine["kind"], old_line: number | null, new_line: number | null) =>
  ({ kind, old_line, new_line, spans: [{ text: "", changed: false }] }) as DiffLine;

/** A file of 100 lines: line 31 is inserted, and line 60 (61 in the new file) is removed. */
const diff = {
  path: "a.js",
  truncated: false,
  hunks: [
    {
      old_start: 30,
      new_start: 30,
      header: "@@ -30,2 +30,3 @@ fn main()",
      lines: [line("context", 30, 30), line("insert", null, 31), line("context", 31, 32)],
    },
    { old_start: 60, new_start: 60, header: "@@ -60 +60,0 @@", lines: [line("delete", 60, null)] },
  ],
} as unknown as FileDiff;
const lines = Array.from({ length: 100 }, (_, index) => `text ${index + 1}`);

/** Gaps as `first-last`, lines as `old:new`. */
const shown = (rows: FileRow[]) =>
  rows.map((row) => {
    if (row.kind === "gap") return `${row.first}-${row.last}`;
    const entry = row.kind === "context" ? row.entry : row;
    if (entry.kind !== "line") return entry.kind;
    return `${entry.line.old_line ?? ""}:${entry.line.new_line ?? ""}`;
  });
const gapsOf = (rows: FileRow[]) => rows.filter((row): row is Gap => row.kind === "gap");

describe("rows of a file", () => {
  it("have a gap before, between and after the hunks", () => {
    const rows = fileRows(diff, "inline", lines, new Map());
    expect(shown(rows)).toEqual(["1-29", "30:30", ":31", "31:32", "33-60", "60:", "61-100"]);
    expect(gapsOf(rows).map(({ isFirst, isLast }) => [isFirst, isLast])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
  });

  it("have no gap at the end if the file is not known or the diff is truncated", () => {
    expect(shown(fileRows(diff, "inline", null, new Map())).at(-1)).toBe("60:");
    const truncated = { ...diff, truncated: true };
    expect(shown(fileRows(truncated, "inline", lines, new Map())).at(-1)).toBe("60:");
  });

  it("show more lines at either end of a gap, with the numbers of both files", () => {
    const before = fileRows(diff, "inline", lines, new Map());
    const [, middle] = gapsOf(before);
    if (!middle) throw new Error("there is one");
    const down = fileRows(diff, "inline", lines, expand(new Map(), middle, "top"));
    expect(shown(down).slice(4, 7)).toEqual(["32:33", "33:34", "34:35"]);
    expect(shown(down)).toContain("53-60");
    const up = fileRows(diff, "inline", lines, expand(new Map(), middle, "bottom"));
    expect(shown(up)).toContain("33-40");
    expect(shown(up)).toContain("59:60");
    const all = fileRows(diff, "inline", lines, expand(new Map(), middle, "all"));
    expect(gapsOf(all)).toHaveLength(2);
  });

  it("show the whole file, also side by side", () => {
    const rows = fileRows(diff, "split", lines, expandAll(diff));
    expect(gapsOf(rows)).toEqual([]);
    expect(rows).toHaveLength(101);
    const last = rows.at(-1);
    expect(last?.kind === "context" && last.entry.kind === "pair" && last.entry.new?.spans).toEqual(
      [{ text: "text 100", changed: false }],
    );
  });
});
