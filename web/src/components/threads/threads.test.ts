import { expect, it } from "vitest";
import type { DiffLine, FileDiff, ReviewComment } from "@/lib/api";
import { isOn, lineRange, linesUpTo, placeOf, threadsOf } from "./threads";

const comment = (id: string, parent_id: string | null, more: Partial<ReviewComment> = {}) =>
  ({ id, parent_id, path: "a.js", side: "new", line: 3, ...more }) as ReviewComment;

const line = (kind: DiffLine["kind"], old_line: number | null, new_line: number | null) =>
  ({ kind, old_line, new_line, spans: [] }) as DiffLine;

it("groups replies below their comment, in order", () => {
  const threads = threadsOf([
    comment("1", null),
    comment("2", null),
    comment("3", "1"),
    comment("4", "2"),
    comment("5", "1"),
  ]);
  expect(threads.map(({ first, answers }) => [first.id, ...answers.map(({ id }) => id)])).toEqual([
    ["1", "3", "5"],
    ["2", "4"],
  ]);
});

it("places comments on removed lines in the old file, others in the new one", () => {
  expect(placeOf("a.js", line("delete", 7, null))).toEqual({
    path: "a.js",
    side: "old",
    number: 7,
  });
  expect(placeOf("a.js", line("insert", null, 8))?.side).toBe("new");
  expect(placeOf("a.js", line("context", 7, 9))).toEqual({ path: "a.js", side: "new", number: 9 });
});

it("finds a thread only on its line", () => {
  const [added] = threadsOf([comment("1", null)]);
  const [removed] = threadsOf([comment("1", null, { side: "old" })]);
  if (!added || !removed) throw new Error("there are two");
  expect(isOn(added, "a.js", line("insert", null, 3))).toBe(true);
  expect(isOn(added, "a.js", line("delete", 3, null))).toBe(false);
  expect(isOn(removed, "a.js", line("delete", 3, null))).toBe(true);
  expect(isOn(added, "b.js", line("insert", null, 3))).toBe(false);
});

const diffOf = (...hunks: DiffLine[][]) =>
  ({ path: "a.js", hunks: hunks.map((lines) => ({ lines })) }) as FileDiff;

it("offers the lines of the same side and group, up to fifty", () => {
  const named = (made: DiffLine, text: string) => ({ ...made, spans: [{ text, changed: false }] });
  const added = named(line("insert", null, 4), "new");
  const removed = named(line("delete", 3, null), "old");
  const lines = [named(line("context", 2, 3), "same"), removed, added];
  const diff = diffOf([line("context", 1, 1)], lines);
  expect(linesUpTo(diff, added)).toEqual([
    { number: 3, text: "same" },
    { number: 4, text: "new" },
  ]);
  expect(linesUpTo(diff, removed)).toEqual([
    { number: 2, text: "same" },
    { number: 3, text: "old" },
  ]);
  const elsewhere = named(line("context", 9, 10), "shown on request");
  expect(linesUpTo(diff, elsewhere)).toEqual([{ number: 10, text: "shown on request" }]);
  const many = Array.from({ length: 80 }, (_, index) => line("insert", null, index + 1));
  const last = many[69];
  if (!last) throw new Error("there are eighty");
  const numbers = linesUpTo(diffOf(many), last).map(({ number }) => number);
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 21, 70]);
});

it("names a line or several", () => {
  expect([lineRange(null, 5), lineRange(3, 5)]).toEqual(["line 5", "lines 3 to 5"]);
});
