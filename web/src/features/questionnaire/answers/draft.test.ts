import { expect, it } from "vitest";
import type { Question, Section } from "@/lib/api";
import { firstStep, flatten, keptBeside, nest, progressOf, pruned, sameDraft } from "./draft";

const question = (id: string, required = false): Question => ({
  id,
  label: `${id}?`,
  help: "",
  example: "",
  kind: { type: "text" },
  required,
});
const section = (id: Section["id"], questions: Question[]): Section => ({
  id,
  title: id,
  about: "",
  questions,
});
const SECTIONS = [
  section("product_intent", [question("summary", true), question("features")]),
  section("dev_platform", [question("system", true), question("habits")]),
];

it("omits empty answers and rows, and groups answers by section", () => {
  const answers = {
    "product_intent.summary": "It counts.",
    "product_intent.features": ["one", " ", ""],
    "dev_platform.habits": "  ",
  };
  const nested = { product_intent: { summary: "It counts.", features: ["one"] } };
  expect(JSON.parse(JSON.stringify(nest(answers)))).toEqual(nested);
  expect(flatten(nested)).toEqual(pruned(answers));
});

it("does not interpret keys from a file as prototype properties", () => {
  const answers = flatten(JSON.parse('{"__proto__": {"polluted": "yes"}}'));
  expect(JSON.stringify(nest(answers))).toBe('{"__proto__":{"polluted":"yes"}}');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it("treats drafts with equivalent answers as equal", () => {
  const one = { size: "full" as const, answers: { "a.b": ["x", ""], "a.c": "y" } };
  expect(sameDraft(one, { size: "full", answers: { "a.c": "y", "a.b": ["x"], "a.d": "" } })).toBe(
    true,
  );
  expect(sameDraft(one, { ...one, size: "mini" })).toBe(false);
  expect(sameDraft(one, { ...one, answers: { "a.b": ["x"] } })).toBe(false);
});

it("counts questions and lists unanswered required ones", () => {
  const answers = { "product_intent.features": ["one"], "dev_platform.system": " ", "x.y": "z" };
  const { answered, questions, missing } = progressOf(SECTIONS, answers);
  expect([answered, questions]).toEqual([1, 4]);
  expect(missing.map(({ question }) => question.id)).toEqual(["summary", "system"]);
  expect(keptBeside(SECTIONS, answers)).toBe(1);
});

it("starts at the first step with an unanswered required question", () => {
  expect(firstStep(SECTIONS, {})).toBe("product_intent");
  expect(firstStep(SECTIONS, { "product_intent.summary": "a" })).toBe("dev_platform");
  const all = { "product_intent.summary": "a", "dev_platform.system": "b" };
  expect(firstStep(SECTIONS, all)).toBe("review");
});
