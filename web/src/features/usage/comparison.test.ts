import { expect, it } from "vitest";
import { comparison } from "./comparison";

it.each([
  [0, 0, "there is nothing to push"],
  [0, 100, "nothing, where a push would have taken all of it"],
  [1, 1000, "less than 1% of a push"],
  [123, 1000, "12% of a push"],
  [1000, 1000, "100% of a push"],
  [1001, 1000, "more than a push would have taken"],
])("%i beside %i is told honestly", (on_demand, pushed, words) => {
  expect(comparison({ on_demand, pushed })).toBe(words);
});
