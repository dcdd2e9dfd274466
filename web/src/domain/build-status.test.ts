import { expect, it } from "vitest";
import { type BuildFacts, buildState } from "./build-status";

const facts = (changed: Partial<BuildFacts>): BuildFacts => ({
  status: "running",
  verdict: null,
  review: null,
  blocked_reason: null,
  blocked_text: null,
  open_questions: 0,
  ...changed,
});

it.each<[Partial<BuildFacts>, string, string]>([
  [{}, "Running", "Watch build"],
  [{ open_questions: 1 }, "Needs your answer", "Answer question"],
  [{ status: "awaiting_input", open_questions: 2 }, "Needs your answer", "Answer question"],
  [{ status: "paused", open_questions: 1 }, "Paused", "Resume build"],
  [{ status: "blocked", blocked_reason: "usd" }, "Blocked", "Raise limit"],
  [{ status: "blocked", blocked_reason: "config" }, "Blocked", "Resolve block"],
  [{ status: "blocked" }, "Blocked", "Resolve block"],
  [
    { status: "sealed", verdict: "CERTIFIED", review: "waiting" },
    "Waiting for review",
    "Open result",
  ],
  [
    { status: "sealed", verdict: "FLAGGED", review: "changes_requested" },
    "Changes requested",
    "Address changes",
  ],
  [{ status: "sealed", verdict: "CERTIFIED", review: "approved" }, "Approved", "Get the branch"],
  [{ status: "abandoned" }, "Cancelled", "Open build"],
])("%o has one status and one action", (changed, label, action) => {
  const state = buildState(facts(changed));
  expect([state.label, state.action.label]).toEqual([label, action]);
});

it("shows the server's words for the cause of a block", () => {
  const { hint } = buildState(facts({ status: "blocked", blocked_text: "An agent loops." }));
  expect(hint).toBe("It cannot continue without your help. An agent loops.");
});
