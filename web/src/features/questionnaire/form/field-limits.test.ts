import { expect, it } from "vitest";
import { MAX_CHARACTERS, MAX_LINES, tooMuch } from "./field-limits";

it("returns an error message only beyond the limits", () => {
  expect(tooMuch("x".repeat(MAX_CHARACTERS), false)).toBe("");
  expect(tooMuch("x".repeat(MAX_CHARACTERS + 1), false)).toMatch(/too long/);
  const lines = (count: number) => Array(count).fill("x").join("\n");
  expect(tooMuch(lines(MAX_LINES), true)).toBe("");
  expect(tooMuch(lines(MAX_LINES + 1), true)).toMatch(/too many lines/);
  expect(tooMuch(lines(MAX_LINES + 1), false)).toBe("");
});
