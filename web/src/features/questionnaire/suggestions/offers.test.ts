import { expect, it } from "vitest";
import type { Question, Section, SuggestedAnswer } from "@/lib/api";
import { offersOf, openCount, withAccepted } from "./offers";

const question = (id: string, kind: Question["kind"]): Question => ({
  id,
  label: `${id}?`,
  help: "",
  example: "",
  kind,
  required: false,
});
const SECTIONS: Section[] = [
  {
    id: "tech_stack",
    title: "Technology",
    about: "",
    questions: [
      question("language", { type: "choice", options: ["Go", "Python"] }),
      question("frameworks", { type: "list" }),
    ],
  },
];
const suggest = (
  section: SuggestedAnswer["section"],
  question: string,
  answer: string,
): SuggestedAnswer => ({ section, question, answer, path: "go.mod", line: 1, excerpt: answer });
const GO = suggest("tech_stack", "language", "Go");
const GIN = suggest("tech_stack", "frameworks", "Gin 1.9");
const CHI = suggest("tech_stack", "frameworks", "chi 5");
/** The short form does not ask this. */
const STORAGE = suggest("database_schema", "storage", "PostgreSQL");
const ALL = [STORAGE, GO, GIN, CHI];

it("offers what the form asks and does not contain yet", () => {
  const summary = (answers: Parameters<typeof offersOf>[1]) =>
    offersOf(SECTIONS, answers, ALL).map(({ key, current, suggestions }) => [
      key,
      current,
      ...suggestions.map(({ answer }) => answer),
    ]);
  expect(summary({})).toEqual([
    ["tech_stack.language", undefined, "Go"],
    ["tech_stack.frameworks", undefined, "Gin 1.9", "chi 5"],
  ]);
  expect(
    summary({ "tech_stack.language": " Go ", "tech_stack.frameworks": ["", "chi 5"] }),
  ).toEqual([["tech_stack.frameworks", ["", "chi 5"], "Gin 1.9"]]);
  expect(summary({ "tech_stack.language": "  ", "tech_stack.frameworks": [" "] })).toHaveLength(2);
});

it("counts suggestions for unanswered questions only", () => {
  const count = (answers: Parameters<typeof offersOf>[1]) =>
    openCount(offersOf(SECTIONS, answers, ALL));
  expect(count({})).toBe(3);
  expect(count({ "tech_stack.language": "Python" })).toBe(2);
  expect(count({ "tech_stack.frameworks": ["Echo"] })).toBe(1);
});

it("adds accepted items to lists and replaces other answers", () => {
  const answers = {
    "tech_stack.language": "Python",
    "tech_stack.frameworks": ["Echo", ""],
    "product_intent.summary": "It counts.",
  };
  const offers = offersOf(SECTIONS, answers, ALL);
  expect(withAccepted(answers, [GIN], offers)).toEqual({
    ...answers,
    "tech_stack.frameworks": ["Echo", "Gin 1.9"],
  });
  expect(withAccepted(answers, [GO, CHI, GIN], offers)).toEqual({
    ...answers,
    "tech_stack.language": "Go",
    "tech_stack.frameworks": ["Echo", "Gin 1.9", "chi 5"],
  });
  expect(withAccepted(answers, [], offers)).toEqual(answers);
});
