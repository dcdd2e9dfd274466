import { beforeEach, expect, it } from "vitest";
import type { Questionnaire } from "@/lib/api";
import { createUnsavedAnswers } from "./unsaved-answers";

const loaded = (version: number, summary: string): Questionnaire => ({
  size: "full",
  sections: [],
  answers: { product_intent: { summary } },
  progress: { answered: 1, questions: 1, missing: [] },
  version,
  updated_at: null,
});

beforeEach(() => localStorage.clear());

it("restores a draft with the version that it is based on", () => {
  const typed = { size: "mini" as const, answers: { "product_intent.summary": "typed" } };
  expect(createUnsavedAnswers("p").keep(typed, loaded(3, "old"))).toBe(true);
  expect(createUnsavedAnswers("q").read(loaded(3, "old"))).toBeNull();
  const unsaved = createUnsavedAnswers("p").read(loaded(5, "newer"));
  expect(unsaved).toEqual({ draft: typed, base: loaded(3, "old") });
});

it("returns null if everything is saved or the stored value is invalid", () => {
  const typed = { size: "full" as const, answers: {} };
  const unsaved = createUnsavedAnswers("p");
  unsaved.keep(typed, loaded(1, "old"));
  unsaved.keep(null, loaded(2, "new"));
  expect(unsaved.read(loaded(2, "new"))).toBeNull();
  for (const other of [
    "null",
    "7",
    '{"size":"full","answers":{}}',
    '{"size":"full","answers":[]}',
  ]) {
    localStorage.setItem("forgeguard-draft::questionnaire:p", other);
    expect(createUnsavedAnswers("p").read(loaded(1, "old"))).toBeNull();
  }
});
