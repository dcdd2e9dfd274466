import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Question, SuggestedAnswer } from "@/lib/api";
import { renderInApp } from "@/testing/render";
import type { Offer } from "./offers";
import { SuggestionList } from "./suggestion-list";

const question = (id: string, label: string, kind: Question["kind"]): Question => ({
  id,
  label,
  help: "",
  example: "",
  kind,
  required: false,
});
const suggestion = (question: string, answer: string, line: number): SuggestedAnswer => ({
  section: "tech_stack",
  question,
  answer,
  path: "go.mod",
  line,
  excerpt: `line of ${answer}`,
});
const GO = suggestion("language", "Go", 1);
const [GIN, CHI] = [suggestion("frameworks", "Gin", 5), suggestion("frameworks", "chi", 6)];
const OFFERS: Offer[] = [
  {
    key: "tech_stack.language",
    question: question("language", "Which programming language?", { type: "line" }),
    current: "Python",
    suggestions: [GO],
  },
  {
    key: "tech_stack.frameworks",
    question: question("frameworks", "Which frameworks?", { type: "list" }),
    current: undefined,
    suggestions: [GIN, CHI],
  },
];

function show() {
  const onAccept = vi.fn();
  renderInApp(<SuggestionList offers={OFFERS} onAccept={onAccept} onCancel={() => {}} />);
  return onAccept;
}

it("selects suggestions for unanswered questions and shows where each was found", async () => {
  const onAccept = show();
  const language = within(screen.getByRole("group", { name: "Which programming language?" }));
  expect(language.getByText("Python")).toBeVisible();
  expect(language.getByRole("checkbox", { name: "Go" })).not.toBeChecked();
  const gin = screen.getByRole("checkbox", { name: "Gin" });
  expect(gin).toBeChecked();
  expect(gin).toHaveAccessibleDescription("go.mod:5 line of Gin");

  await userEvent.click(screen.getByRole("button", { name: "Add 2 suggestions" }));
  expect(onAccept).toHaveBeenCalledExactlyOnceWith([GIN, CHI]);
});

it("accepts what is selected, which may replace an answer", async () => {
  const onAccept = show();
  await userEvent.click(screen.getByRole("checkbox", { name: "Gin" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "Go" }));
  await userEvent.click(screen.getByRole("button", { name: "Add 2 suggestions" }));
  expect(onAccept).toHaveBeenCalledExactlyOnceWith([GO, CHI]);
});

it("selects all suggestions or none", async () => {
  const onAccept = show();
  const all = screen.getByRole("checkbox", { name: "Select all" });
  expect(all).toBePartiallyChecked();
  await userEvent.click(all);
  await userEvent.click(all);
  expect(screen.getByRole("button", { name: "Add suggestions" })).toBeDisabled();
  await userEvent.click(all);
  await userEvent.click(screen.getByRole("button", { name: "Add 3 suggestions" }));
  expect(onAccept).toHaveBeenCalledExactlyOnceWith([GO, GIN, CHI]);
});
