import { expect, it } from "vitest";
import { failureOf } from "./failing-test";

it.each([
  [
    "adds: Expected values to be strictly equal: 20 !== 30",
    { title: "adds", reason: "Expected values to be strictly equal", actual: "20", expected: "30" },
  ],
  [
    "shelf > price > adds: AssertionError: expected { a: 1 } to deeply equal { a: 2 }",
    { title: "shelf > price > adds", reason: null, actual: "{ a: 1 }", expected: "{ a: 2 }" },
  ],
  [
    "adds: AssertionError: expected 20 to be 30 // Object.is equality",
    { title: "adds", actual: "20", expected: "30", output: "" },
  ],
  ["test_adds: assert 20 == 30", { title: "test_adds", actual: "20", expected: "30" }],
  [
    "tests::adds: assertion `left == right` failed\n  left: 20\n right: 30\nat src/lib.rs:4",
    {
      title: "tests::adds",
      reason: "assertion `left == right` failed",
      actual: "20",
      expected: "30",
      output: "at src/lib.rs:4",
    },
  ],
  [
    "adds: expect(received).toBe(expected)\n\nExpected: 30\nReceived: 20\n  at a.js:1",
    { title: "adds", actual: "20", expected: "30", output: "\n  at a.js:1" },
  ],
])("reads what %j compares", (message, failure) => {
  expect(failureOf(message)).toMatchObject(failure);
});

it.each(["reads: TypeError: Cannot read properties of undefined", "Exit code 1", ""])(
  "keeps the sentence %j, which compares nothing",
  (message) => {
    expect(failureOf(message)).toEqual({
      title: message,
      reason: null,
      expected: null,
      actual: null,
      output: "",
    });
  },
);

it("keeps further lines as output if only one side is stated", () => {
  const message = "adds two numbers\n  expected: 4\n  at a.js";
  expect(failureOf(message)).toMatchObject({ expected: null, output: "  expected: 4\n  at a.js" });
});
