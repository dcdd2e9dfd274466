import { expect, it } from "vitest";
import { MOST_CHARACTERS, MOST_LINES, tooMuch } from "./most-text";

it("takes what a page can hold, and says why where it cannot", () => {
  expect(tooMuch("x".repeat(MOST_CHARACTERS), false)).toBe("");
  expect(tooMuch("x".repeat(MOST_CHARACTERS + 1), false)).toMatch(/too long/);
  const lines = (count: number) => Array(count).fill("x").join("\n");
  expect(tooMuch(lines(MOST_LINES), true)).toBe("");
  expect(tooMuch(lines(MOST_LINES + 1), true)).toMatch(/too many lines/);
  expect(tooMuch(lines(MOST_LINES + 1), false)).toBe("");
});
