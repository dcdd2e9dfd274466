import { expect, it } from "vitest";
import { aroundSuggestion } from "./comment-text";

it.each([
  ["Plain", ["Plain", ""]],
  ["Before\n```suggestion\na();\n```\nAfter", ["Before\n", "\nAfter"]],
  ["```suggestion\n```", ["", ""]],
  ["````suggestion\n```\n````\nAfter", ["", "\nAfter"]],
  ["```js\na();\n```", ["```js\na();\n```", ""]],
  ["```suggestion\nnever closed", ["```suggestion\nnever closed", ""]],
])("%j is split around its suggestion", (text, expected) => {
  expect(aroundSuggestion(text)).toEqual(expected);
});
