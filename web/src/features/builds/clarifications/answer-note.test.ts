import { expect, it } from "vitest";
import type { Clarification } from "@/lib/api";
import { answerNote } from "./answer-note";

const asked = { question: "How\nlong?", answer: 'Two "long" weeks' } as Clarification;

it.each([
  ["markdown", '> Q: How long?\n> A: Two "long" weeks\n'],
  ["yaml", '# Q: How long?\n# A: Two "long" weeks\n'],
  ["json", '"Q: How long? A: Two \\"long\\" weeks"'],
] as const)("a note fits into %s", (format, note) => {
  expect(answerNote(asked, format)).toBe(note);
});
