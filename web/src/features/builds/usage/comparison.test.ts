import { expect, it } from "vitest";
import { comparison } from "./comparison";

it.each([
  [0, 0, "no contracts"],
  [0, 100, "none of full inclusion"],
  [1, 1000, "less than 1% of full inclusion"],
  [123, 1000, "12% of full inclusion"],
  [1000, 1000, "100% of full inclusion"],
  [1001, 1000, "more than full inclusion"],
])("%i beside %i is told honestly", (on_demand, pushed, words) => {
  expect(comparison({ on_demand, pushed })).toBe(words);
});
