import { expect, it } from "vitest";
import { changesOf, readAnswers, readFile, writeFile } from "./answers-file";
import type { Draft } from "./draft";

const DRAFT: Draft = {
  size: "mini",
  answers: { "product_intent.summary": "It counts. 🚀", "product_intent.features": ["up", ""] },
};

it("reads back what it wrote", async () => {
  const file = writeFile("Año: 2 / Beds!", DRAFT, new Date(0));
  expect(file.name).toBe("año-2-beds-questionnaire.json");
  expect(await readFile(file)).toEqual({
    size: "mini",
    answers: { "product_intent.summary": "It counts. 🚀", "product_intent.features": ["up"] },
  });
});

it.each([
  ["no JSON", "{half", "is no JSON"],
  ["no record", "[1]", "holds no answers"],
  ["no answers", '{"size":"full"}', "holds no answers"],
  ["answers of another form", '{"answers":{"a":{"b":7}}}', "holds no answers"],
  ["sections that are none", '{"answers":{"a":"b"}}', "holds no answers"],
])("says what is wrong with %s", (_, text, message) => {
  expect(() => readAnswers(text)).toThrow(message);
});

it("leaves the size to the form where a file says none that is known", () => {
  expect(readAnswers('{"size":"huge","answers":{}}')).toEqual({ size: null, answers: {} });
});

it("refuses a file that no answers can fill, before reading it", async () => {
  const file = new File([], "large.json");
  Object.defineProperty(file, "size", { value: 5_000_000 });
  await expect(readFile(file)).rejects.toThrow("too large");
});

it("tells what would be added and replaced, and nothing else", () => {
  const current = { "a.same": "x", "a.other": "was", "a.kept": "stays", "a.blank": " " };
  const imported = { "a.same": "x", "a.other": "is", "a.blank": "new" };
  expect(changesOf(current, imported)).toEqual([
    { key: "a.other", from: "was", to: "is" },
    { key: "a.blank", from: undefined, to: "new" },
  ]);
});
