// Export and import of answers as a file.
import type { Answer, QuestionnaireSize } from "@/lib/api";
import { type Answers, type Draft, flatten, nest, pruned, sameAnswer } from "../answers/draft";

const KIND = "forgeguard-questionnaire";
/** Larger than any valid file. */
const MAX_FILE_BYTES = 4_000_000;

/** A file without a size keeps that of the form. */
export interface FileAnswers {
  size: QuestionnaireSize | null;
  answers: Answers;
}

/** The effect of importing an answer. */
export interface Change {
  key: string;
  from: Answer | undefined;
  to: Answer;
}

export function writeFile(project: string, { size, answers }: Draft, now: Date): File {
  const content = { kind: KIND, project, exported_at: now, size, answers: nest(answers) };
  const name = `${fileName(project)}-questionnaire.json`;
  return new File([`${JSON.stringify(content, null, 2)}\n`], name, { type: "application/json" });
}

/** Throws a message for the user if the file has no answers. */
export async function readFile(file: File): Promise<FileAnswers> {
  if (file.size > MAX_FILE_BYTES) throw new Error("This file is too large.");
  return readAnswers(await file.text());
}

export function readAnswers(text: string): FileAnswers {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error("This file is not valid JSON. Choose an exported file.");
  }
  const nested = isRecord(content) ? content.answers : undefined;
  if (!isRecord(content) || !isNested(nested))
    throw new Error("This file contains no answers. Choose an exported file.");
  const size = content.size === "full" || content.size === "mini" ? content.size : null;
  return { size, answers: pruned(flatten(nested)) };
}

/** Answers that an import would add or replace, in the file's order. Others are kept. */
export function changesOf(current: Answers, imported: Answers): Change[] {
  const before = pruned(current);
  return Object.entries(imported)
    .filter(([key, to]) => !sameAnswer(before[key], to))
    .map(([key, to]) => ({ key, from: before[key], to }));
}

export function isNested(value: unknown): value is Record<string, Record<string, Answer>> {
  return (
    isRecord(value) &&
    Object.values(value).every(
      (answers) => isRecord(answers) && Object.values(answers).every(isAnswer),
    )
  );
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fileName = (project: string) =>
  project
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "project";
