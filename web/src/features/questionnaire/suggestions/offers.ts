// Suggested answers compared with those in the form.
import type { Answer, Question, Section, SuggestedAnswer } from "@/lib/api";
import { type Answers, isEmpty, keyOf } from "../answers/draft";

/** A question with what the repository suggests for it. */
export interface Offer {
  key: string;
  question: Question;
  /** Undefined for an unanswered question. */
  current: Answer | undefined;
  suggestions: SuggestedAnswer[];
}

/** The questions of the form with suggestions that differ from their answers, in order. */
export function offersOf(
  sections: Section[],
  answers: Answers,
  suggested: SuggestedAnswer[],
): Offer[] {
  return sections.flatMap((section) =>
    section.questions.flatMap((question) => {
      const key = keyOf(section.id, question.id);
      const current = isEmpty(answers[key]) ? undefined : answers[key];
      const suggestions = suggested.filter(
        (it) =>
          it.section === section.id && it.question === question.id && !contains(current, it.answer),
      );
      return suggestions.length > 0 ? [{ key, question, current, suggestions }] : [];
    }),
  );
}

/** The number of suggestions for unanswered questions. */
export const openCount = (offers: Offer[]): number =>
  offers.reduce((sum, { current, suggestions }) => sum + (current ? 0 : suggestions.length), 0);

/** Answers with the accepted suggestions: items are added to lists, other answers replaced. */
export function withAccepted(answers: Answers, accepted: SuggestedAnswer[], offers: Offer[]) {
  const changed = { ...answers };
  for (const { key, question, suggestions } of offers) {
    const texts = suggestions.filter((it) => accepted.includes(it)).map(({ answer }) => answer);
    const [first] = texts;
    if (first === undefined) continue;
    const items = [changed[key] ?? []].flat().filter((item) => item.trim());
    changed[key] = question.kind.type === "list" ? [...items, ...texts] : first;
  }
  return changed;
}

const contains = (answer: Answer | undefined, text: string) =>
  [answer ?? []].flat().some((item) => item.trim() === text.trim());
