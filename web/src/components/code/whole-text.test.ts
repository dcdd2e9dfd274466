import { expect, it } from "vitest";
import type { DiffLine, FileDiff } from "@/lib/api";
import { isGenerated } from "./generated-file";
import { highlightWhole } from "./highlight-diff";
import { parserFor } from "./languages";
import { linesOfText, wholeText } from "./whole-text";

const line = (
  kind: DiffLine["kind"],
  old_line: number | null,
  new_line: number | null,
  text: string,
): DiffLine => ({ kind, old_line, new_line, spans: [{ text, changed: false }] });

const changed = line("delete", 3, null, "it was this");
const inserted = line("insert", null, 3, "it is this");
const diff = {
  path: "a.js",
  status: "modified",
  truncated: false,
  hunks: [{ old_start: 3, new_start: 3, header: "", lines: [changed, inserted] }],
} as unknown as FileDiff;
const current = ["/*", "A comment:", "it is this", "*/", "f();"];

it("lines of a text are those that diffs number", () => {
  expect(linesOfText("a\r\nb\n")).toEqual(["a", "b"]);
  expect(linesOfText("a\n\nb")).toEqual(["a", "", "b"]);
  expect(linesOfText("")).toEqual([]);
});

it("the old version is the new one with the hunks reversed", () => {
  const whole = wholeText(diff, current);
  expect(whole?.new).toEqual(current);
  expect(whole?.old).toEqual(["/*", "A comment:", "it was this", "*/", "f();"]);
  expect(wholeText(diff, null)).toBeNull();
  expect(wholeText({ ...diff, truncated: true }, current)).toBeNull();
  expect(wholeText({ ...diff, status: "added" }, null)?.new).toEqual(["it is this"]);
});

it("a line within a comment that begins outside of its hunk is highlighted as a comment", async () => {
  const whole = wholeText(diff, current);
  const parser = await parserFor("a.js");
  if (!whole || !parser) throw new Error("both exist");
  const tokensOf = await highlightWhole(whole, parser, new AbortController().signal);
  expect(tokensOf?.(changed)).toEqual([{ from: 0, to: 11, kind: "comment" }]);
  expect(tokensOf?.(inserted)).toEqual([{ from: 0, to: 10, kind: "comment" }]);
});

it.each([
  ["package-lock.json", true],
  ["web/dist/app.js", true],
  ["src/app.min.js", true],
  ["src/distance.js", false],
  ["src/lock.rs", false],
])("%s is generated: %s", (path, expected) => {
  expect(isGenerated(path)).toBe(expected);
});
