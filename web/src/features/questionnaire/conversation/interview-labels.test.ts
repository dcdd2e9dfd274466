import { expect, it } from "vitest";
import type { Generation, InterviewMessage } from "@/lib/api";
import { answering } from "@/testing/generations";
import { activityLabel, stateOf, usageLabel } from "./interview-labels";

const said = (...authors: InterviewMessage["author"][]) =>
  authors.map((author) => ({ author, text: "x", created_at: "2026-11-21T20:00:00Z" }));
const interview = (generation: Generation | null, ...authors: InterviewMessage["author"][]) => ({
  messages: said(...authors),
  available: true,
  generation,
});

it.each([
  ["open", null, []],
  ["answering", answering({ status: "queued" }), ["person"]],
  ["answering", answering(), ["person"]],
  // The reply has finished, and its message has not arrived yet.
  ["answering", answering({ status: "done" }), ["person"]],
  ["open", answering({ status: "done" }), ["person", "model"]],
  ["failed", answering({ status: "failed" }), ["person"]],
  ["cancelled", answering({ status: "cancelled" }), ["person"]],
] as const)("is %s", (expected, generation, authors) => {
  expect(stateOf(interview(generation, ...authors))).toBe(expected);
});

it("shows the current activity and usage", () => {
  expect(activityLabel(answering({ status: "queued" }))).toBe("Waiting to start…");
  expect(activityLabel(answering())).toBe("Reading your message…");
  const answers = answering().answers as NonNullable<Generation["answers"]>;
  expect(activityLabel(answering({ answers: { ...answers, version: 2 } }))).toMatch(/^Filling in/);
  const waits = answering({ status: "queued", retry_at: "2026-11-21T20:05:00Z" });
  expect(activityLabel(waits)).toMatch(/Retrying at \d\d:05/);
  expect(usageLabel(answering())).toBe("");
  const spent = { ...answers, tokens_in: 1_900, tokens_out: 200 };
  const known = { ...spent, cost_usd_micros: 12_000 };
  expect(usageLabel(answering({ answers: known }))).toBe("m-1 · 2.1K tokens · $0.01");
  const unknown = { ...spent, cost_usd_micros: null };
  expect(usageLabel(answering({ answers: unknown }))).toBe("m-1 · 2.1K tokens");
});
