import { describe, expect, it } from "vitest";
import type { DiffLine, FileDiff } from "@/lib/api";
import { diffEntries, lineName } from "./diff-entry";

const line = (kind: DiffLine["kind"], old_line: number | null, new_line: number | null) =>
  ({ kind, old_line, new_line, spans: [] }) as unknown as DiffLine;

const diff = {
  hunks: [
    {
      old_start: 1,
      new_start: 1,
      header: "@@ -1,4 +1,4 @@ fn main()",
      lines: [
        line("context", 1, 1),
        line("delete", 2, null),
        line("delete", 3, null),
        line("insert", null, 2),
        line("delete", 4, null),
        line("insert", null, 3),
        line("insert", null, 4),
        line("context", 5, 5),
      ],
    },
  ],
} as unknown as FileDiff;

const named = (side: DiffLine | null) => (side ? lineName(side) : "");

describe("side by side", () => {
  it("pairs removed with added lines, and continues the longer side alone", () => {
    const rows = diffEntries(diff, "split").map((entry) =>
      entry.kind === "pair" ? [named(entry.old), named(entry.new)] : entry.kind,
    );
    expect(rows).toEqual([
      "hunk",
      ["R1", "R1"],
      ["L2", "R2"],
      ["L3", ""],
      ["L4", "R3"],
      ["", "R4"],
      ["R5", "R5"],
    ]);
  });
});
