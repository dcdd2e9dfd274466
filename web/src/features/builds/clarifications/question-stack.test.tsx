import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Build, Clarification } from "@/lib/api";
import { renderInApp } from "@/testing/render";
import { QuestionStack } from "./question-stack";

const asked = (id: string, question: string, multiple: boolean): Clarification => ({
  id,
  kind: "question",
  question,
  context: null,
  options: ["red", "blue"],
  multiple,
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
});
const colours = asked("q1", "Which colours?", true);
const title = asked("q2", "Which title?", false);

function setUp(questions = [colours, title]) {
  const onSettle = vi.fn(async () => true);
  const stack = (open: Clarification[]) => (
    <QuestionStack
      build={{ id: "b1" } as Build}
      questions={open}
      busy={false}
      onSettle={onSettle}
    />
  );
  renderInApp(stack(questions));
  const card = (name: string) => within(screen.getByRole("region", { name }));
  return { onSettle, card, user: userEvent.setup() };
}

beforeEach(() => sessionStorage.clear());

it("sends several chosen options and a text of the user's own", async () => {
  const { onSettle, card, user } = setUp();
  const choice = card("Which colours?");
  expect(choice.getByRole("button", { name: "Answer" })).toBeDisabled();
  await user.click(choice.getByRole("checkbox", { name: "blue" }));
  await user.click(choice.getByRole("checkbox", { name: "red" }));
  await user.type(choice.getByRole("textbox"), "green{Enter}");
  expect(onSettle).toHaveBeenCalledExactlyOnceWith("q1", { answers: ["blue", "red", "green"] });
});

it("answers each question on its own, in any order", async () => {
  const { onSettle, card, user } = setUp();
  await user.click(card("Which title?").getByRole("button", { name: "red" }));
  await user.click(card("Which colours?").getByRole("button", { name: "Let AI decide" }));
  expect(onSettle.mock.calls).toEqual([
    ["q2", { answer: "red" }],
    ["q1", { skip: true }],
  ]);
});

it("sends all answers together once each question has one", async () => {
  const { onSettle, card, user } = setUp();
  const all = screen.getByRole("button", { name: "Answer all" });
  await user.type(card("Which title?").getByRole("textbox"), "Greetings");
  expect(all).toBeDisabled();
  await user.click(card("Which colours?").getByRole("checkbox", { name: "red" }));
  await user.click(all);
  expect(onSettle.mock.calls).toEqual([
    ["q1", { answers: ["red"] }],
    ["q2", { answer: "Greetings" }],
  ]);
});

it("does not take the focus, and keeps drafts", async () => {
  const { card, user } = setUp();
  expect(document.body).toHaveFocus();
  await user.type(card("Which title?").getByRole("textbox"), "Greet");
  document.body.replaceChildren();
  const again = setUp([title]);
  expect(again.card("Which title?").getByRole("textbox")).toHaveValue("Greet");
  expect(screen.queryByRole("button", { name: "Answer all" })).not.toBeInTheDocument();
});
