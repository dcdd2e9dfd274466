import { expect, it } from "vitest";
import { extendRange, lineRangeHash, parseLineRange } from "./line-range";

it.each([
  ["#L10", { first: 10, last: 10 }],
  ["#L10-L20", { first: 10, last: 20 }],
  ["#L20-10", { first: 10, last: 20 }],
  ["#L0", null],
  ["#10", null],
  ["", null],
])("%j names %j", (hash, expected) => {
  expect(parseLineRange(hash)).toEqual(expected);
});

it("a range is written as it is read", () => {
  for (const hash of ["#L3", "#L3-L7"]) {
    const range = parseLineRange(hash);
    expect(range && lineRangeHash(range)).toBe(hash);
  }
});

it("a click with Shift extends the range from its start", () => {
  const range = { first: 5, last: 8 };
  expect(extendRange(range, 12, true)).toEqual({ first: 5, last: 12 });
  expect(extendRange(range, 2, true)).toEqual({ first: 2, last: 5 });
  expect(extendRange(range, 2, false)).toEqual({ first: 2, last: 2 });
  expect(extendRange(null, 2, true)).toEqual({ first: 2, last: 2 });
});
