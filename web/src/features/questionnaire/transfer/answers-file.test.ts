import { expect, it } from "vitest";
import type { Draft } from "../answers/draft";
import { changesOf, readAnswers, readFile, writeFile } from "./answers-file";

const DRAFT: Draft = {
  size: "mini",
  answers: { "product_intent.summary": "It counts. 🚀", "product_intent.features": ["up", ""] },
};

it("reads what it wrote", async () => {
  const file = writeFile("Año: 2 / Beds!", DRAFT, new Date(0));
  expect(file.name).toBe("año-2-beds-questionnaire.json");
  expect(await readFile(file)).toEqual({
    size: "mini",
    answers: { "product_intent.summary": "It counts. 🚀", "product_intent.features": ["up"] },
  });
});

it.each([
  ["no JSON", "{half", "is not valid JSON"],
  ["no record", "[1]", "contains no answers"],
  ["no answers", '{"size":"full"}', "contains no answers"],
  ["answers of another form", '{"answers":{"a":{"b":7}}}', "contains no answers"],
  ["sections that are none", '{"answers":{"a":"b"}}', "contains no answers"],
])("says what is wrong with %s", (_, text, message) => {
  expect(() => readAnswers(text)).toThrow(message);
});

it("keeps the form's size if the file has no known size", () => {
  expect(readAnswers('{"size":"huge","answers":{}}')).toEqual({ size: null, answers: {} });
});

it("rejects oversized files before reading them", async () => {
  const file = new File([], "large.json");
  Object.defineProperty(file, "size", { value: 5_000_000 });
  await expect(readFile(file)).rejects.toThrow("too large");
});

it("lists added and replaced answers only", () => {
  const current = { "a.same": "x", "a.other": "was", "a.kept": "stays", "a.blank": " " };
  const imported = { "a.same": "x", "a.other": "is", "a.blank": "new" };
  expect(changesOf(current, imported)).toEqual([
    { key: "a.other", from: "was", to: "is" },
    { key: "a.blank", from: undefined, to: "new" },
  ]);
});
