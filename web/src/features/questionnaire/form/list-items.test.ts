import { expect, it } from "vitest";
import { insert, linesOf, move, paste, remove, split } from "./list-items";

it("strips bullets and numbers from lines", () => {
  expect(linesOf("- one\r\n  * two\n\n3. three\n4) four\n• five\n2024 was\n-6 degrees")).toEqual([
    "one",
    "two",
    "three",
    "four",
    "five",
    "2024 was",
    "-6 degrees",
  ]);
});

it("turns pasted lines into items around the existing text", () => {
  expect(paste(["first", "ab"], 1, [1, 1], "1\n2\n3")).toEqual({
    items: ["first", "a1", "2", "3b"],
    row: 3,
    caret: 1,
  });
  expect(paste(["replaced"], 0, [0, 8], "- one\n- two\n")).toEqual({
    items: ["one", "two"],
    row: 1,
    caret: 3,
  });
});

it("leaves a single pasted line to the browser, even with a trailing newline", () => {
  expect(paste(["a"], 0, [1, 1], "one line\n")).toBeNull();
  expect(paste(["a"], 0, [1, 1], "one line")).toBeNull();
});

it("moves the text after the caret to a new row", () => {
  expect(split(["sow reap"], 0, [3, 3])).toEqual({ items: ["sow", "reap"], row: 1, caret: 0 });
  expect(split(["sow"], 0, [3, 3])).toEqual({ items: ["sow", ""], row: 1, caret: 0 });
});

it("removes a row and moves the caret to the end of the previous one", () => {
  expect(remove(["one", "two"], 1)).toEqual({ items: ["one"], row: 0, caret: 3 });
  expect(remove(["one"], 0)).toEqual({ items: [], row: 0, caret: 0 });
});

it("restores a row at its position, or at the end of a shorter list", () => {
  expect(insert(["a", "c"], 1, "b")).toEqual({ items: ["a", "b", "c"], row: 1, caret: 1 });
  expect(insert([], 3, "b")).toEqual({ items: ["b"], row: 0, caret: 1 });
});

it("moves a row with its caret, but not beyond the edges", () => {
  expect(move(["a", "b", "c"], 0, 1, 1)).toEqual({ items: ["b", "a", "c"], row: 1, caret: 1 });
  expect(move(["a", "b"], 0, -1, 0)).toBeNull();
  expect(move(["a", "b"], 1, 1, 0)).toBeNull();
});
