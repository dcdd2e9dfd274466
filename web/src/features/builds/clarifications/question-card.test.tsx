import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Clarification } from "@/lib/api";
import { renderInApp } from "@/testing/render";
import { QuestionCard } from "./question-card";

const question: Clarification = {
  id: "q1",
  kind: "question",
  question: "JWT or sessions?",
  context: "The contracts say nothing.",
  options: ["JWT", "Sessions"],
  multiple: false,
  asked_by: "coder",
  asked_at: "2026-11-21T20:25:00.000Z",
  expires_at: null,
  status: "open",
  answer: null,
  answered_by: null,
  answered_by_name: null,
  resolved_at: null,
  asked_seq: 7,
  resolved_seq: null,
  contract: null,
};

function setUp(busy = false, more: Partial<Clarification> = {}) {
  const onAnswer = vi.fn();
  const onSkip = vi.fn();
  const asked = { ...question, ...more };
  renderInApp(<QuestionCard question={asked} busy={busy} onAnswer={onAnswer} onSkip={onSkip} />);
  return { onAnswer, onSkip, user: userEvent.setup() };
}

it("is a region named by its question", () => {
  setUp();
  expect(screen.getByRole("region", { name: "JWT or sessions?" })).toBeInTheDocument();
});

it("is answered and skipped with the keyboard alone", async () => {
  const { onAnswer, onSkip, user } = setUp();
  await user.tab();
  await user.tab();
  expect(screen.getByRole("button", { name: "Sessions" })).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith("Sessions");
  await user.tab();
  await user.keyboard(" ");
  expect(onSkip).toHaveBeenCalledTimes(1);
});

it("accepts no second answer while the first is being sent", async () => {
  const { onAnswer, user } = setUp(true);
  await user.click(screen.getByRole("button", { name: "JWT" }));
  expect(onAnswer).not.toHaveBeenCalled();
});

it.each(["plan", "work", "confirmation"] as const)("of the kind %s is not skipped", (kind) => {
  setUp(false, { kind, options: ["Go on"] });
  expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual(["Go on"]);
});
