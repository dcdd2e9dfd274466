import { expect, it } from "vitest";
import { agentText } from "./agent-text";

it.each([
  ["Both parse.\n\n=== TASK DONE: 1 ===", "Both parse."],
  ["First.\n=== PLAN ===\n1. Write\n=== END PLAN ===\nThen.", "First.\n\nThen."],
  ["Begun.\n=== PLAN ===\n1. Wri", "Begun."],
  ["=== PHASE SIGN-OFF: PASS ===\nAll holds.\n=== END PHASE SIGN-OFF ===", "All holds."],
  ["It holds.\n\ncriterion 1: passed — test/a.js:1\ncriterion 2: failed — b.js", "It holds."],
  ["if (a === b) return;", "if (a === b) return;"],
  ["=== TASK DONE: 2 ===", ""],
])("%j is said as %j", (text, spoken) => {
  expect(agentText(text)).toBe(spoken);
});
