import { expect, it } from "vitest";
import { parseLine, suggestions } from "./parse-command";

it.each([
  ["", { kind: "empty" }],
  ["   ", { kind: "empty" }],
  [" use JWT ", { kind: "text", text: "use JWT" }],
  ["/pause", { kind: "command", name: "pause", rest: "" }],
  ["/PAUSE", { kind: "command", name: "pause", rest: "" }],
  ["/interject keep  it\nsmall ", { kind: "command", name: "interject", rest: "keep  it\nsmall" }],
  ["/cancel wrong branch", { kind: "command", name: "cancel", rest: "wrong branch" }],
  ["/pauses", { kind: "unknown", word: "pauses" }],
  ["/", { kind: "unknown", word: "" }],
])("%j means %j", (line, parsed) => {
  expect(parseLine(line)).toEqual(parsed);
});

it.each([
  ["/", ["pause", "resume", "cancel", "interject", "help"]],
  ["/re", ["resume"]],
  ["/resume ", []],
  ["say /re", []],
])("%j may become %j", (line, names) => {
  expect(suggestions(line).map(({ name }) => name)).toEqual(names);
});
