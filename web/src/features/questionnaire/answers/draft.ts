// Answers while they are edited, by the key `section.question`, as in the server's validation errors.
import type { Answer, Question, Questionnaire, QuestionnaireSize, Section } from "@/lib/api";

export type Answers = Record<string, Answer>;

export interface Draft {
  size: QuestionnaireSize;
  answers: Answers;
}

export const keyOf = (section: string, question: string) => `${section}.${question}`;

export const draftOf = ({ size, answers }: Questionnaire): Draft => ({
  size,
  answers: flatten(answers),
});

export function flatten(nested: Questionnaire["answers"]): Answers {
  return Object.fromEntries(
    Object.entries(nested).flatMap(([section, answers]) =>
      Object.entries(answers).map(([question, answer]) => [keyOf(section, question), answer]),
    ),
  );
}

/** In the form used by the server and by files. */
export function nest(answers: Answers): Questionnaire["answers"] {
  // Without a prototype: keys come from files.
  const nested: Questionnaire["answers"] = Object.create(null);
  for (const [key, answer] of Object.entries(pruned(answers))) {
    const at = key.indexOf(".");
    const section = key.slice(0, at);
    nested[section] = { ...nested[section], [key.slice(at + 1)]: answer };
  }
  return nested;
}

export const isEmpty = (answer: Answer | undefined): boolean =>
  answer === undefined ||
  (typeof answer === "string" ? !answer.trim() : answer.every((item) => !item.trim()));

/** Without empty answers and rows; this form is saved and compared. */
export function pruned(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers)
      .filter(([, answer]) => !isEmpty(answer))
      .map(([key, answer]) => [
        key,
        typeof answer === "string" ? answer : answer.filter((item) => item.trim()),
      ]),
  );
}

export const sameAnswer = (one: Answer | undefined, other: Answer | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export function sameDraft(one: Draft, other: Draft): boolean {
  const [a, b] = [pruned(one.answers), pruned(other.answers)];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return one.size === other.size && [...keys].every((key) => sameAnswer(a[key], b[key]));
}

/** The progress of the given sections, and their unanswered required questions. */
export function progressOf(sections: Section[], answers: Answers) {
  const asked = sections.flatMap((section) =>
    section.questions.map((question) => ({ section, question })),
  );
  const open = asked.filter(({ section, question }) =>
    isEmpty(answers[keyOf(section.id, question.id)]),
  );
  return {
    answered: asked.length - open.length,
    questions: asked.length,
    missing: open.filter(({ question }) => question.required),
  };
}

/** The number of answers to questions outside these sections. */
export function keptBeside(sections: Section[], answers: Answers): number {
  const asked = new Set<string>(sections.map(({ id }) => id));
  return Object.keys(pruned(answers)).filter((key) => !asked.has(key.slice(0, key.indexOf("."))))
    .length;
}

/** The question with this key, if it is asked. */
export function questionAt(sections: Section[], key: string): Question | undefined {
  for (const section of sections) {
    const found = section.questions.find((question) => keyOf(section.id, question.id) === key);
    if (found) return found;
  }
}

/** The first step with an unanswered required question, or the review. */
export function firstStep(sections: Section[], answers: Answers): string {
  const { missing, answered } = progressOf(sections, answers);
  if (answered === 0) return sections[0]?.id ?? "review";
  return missing[0]?.section.id ?? "review";
}
