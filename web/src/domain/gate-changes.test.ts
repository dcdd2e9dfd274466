import { expect, it } from "vitest";
import { type GateChange, gateChangeText, isRelaxed } from "./gate-changes";

const gate = (changed: object = {}) =>
  ({ name: "test", command: "make test", required: true, ...changed }) as GateChange["before"];

it.each<[Partial<GateChange>, string, boolean]>([
  [{ before: gate() }, "test: removed", true],
  [{ before: gate({ required: false }) }, "test: removed", false],
  [{ after: gate() }, "test: added, runs `make test`", false],
  [{ before: gate(), after: gate({ required: false }) }, "test: no longer required", true],
  [
    { before: gate(), after: gate({ command: "make all" }) },
    "test: runs `make all` instead of `make test`",
    false,
  ],
  [{ before: gate(), after: gate({ timeout_s: 5 }) }, "test: other settings", false],
])("%j is %s", (change, text, relaxed) => {
  const complete = { gate: "test", ...change };
  expect([gateChangeText(complete), isRelaxed(complete)]).toEqual([text, relaxed]);
});
