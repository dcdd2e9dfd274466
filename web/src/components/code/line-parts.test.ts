import { expect, it } from "vitest";
import { lineParts } from "./line-parts";

const span = (text: string, changed = false) => ({ text, changed });
const shown = (...args: Parameters<typeof lineParts>) =>
  lineParts(...args).map(({ changed, pieces }) => [
    changed ? "changed" : "same",
    ...pieces.map(({ text, kind }) => (kind ? `${kind}:${text}` : text)),
  ]);

it.each([
  ["a line without colours", [span("a b")], [], [["same", "a b"]]],
  [
    "colours between plain text",
    [span("let x = 1;")],
    [
      { from: 0, to: 3, kind: "keyword" },
      { from: 8, to: 9, kind: "constant" },
    ],
    [["same", "keyword:let", " x = ", "constant:1", ";"]],
  ],
  [
    "a colour that goes over the edges of a changed word",
    [span("say('good "), span("day", true), span("');")],
    [{ from: 4, to: 14, kind: "string" }],
    [
      ["same", "say(", "string:'good "],
      ["changed", "string:day"],
      ["same", "string:'", ");"],
    ],
  ],
  [
    "colours in a changed word only",
    [span("a "), span("b c", true)],
    [{ from: 4, to: 5, kind: "name" }],
    [
      ["same", "a "],
      ["changed", "b ", "name:c"],
    ],
  ],
  ["an empty line", [span("")], [], [["same"]]],
])("cuts %s", (_, spans, tokens, parts) => {
  expect(shown(spans, tokens)).toEqual(parts);
});
