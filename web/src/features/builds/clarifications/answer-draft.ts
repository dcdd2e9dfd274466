// An answer that is being written.
import type { Clarification } from "@/lib/api";

export interface AnswerDraft {
  /** Chosen options of a question with several. */
  chosen: string[];
  text: string;
}

export type Resolution = { answer: string } | { answers: string[] } | { skip: true };

export const EMPTY_DRAFT: AnswerDraft = { chosen: [], text: "" };

/** The answer that the draft gives; null if it is empty. */
export function answerOf(
  { multiple }: Clarification,
  { chosen, text }: AnswerDraft,
): Resolution | null {
  const typed = text.trim();
  if (!multiple) return typed ? { answer: typed } : null;
  const answers = typed ? [...chosen, typed] : chosen;
  return answers.length > 0 ? { answers } : null;
}

/** An answer as text, also for a hint. */
export function answerText(resolution: Resolution): string | null {
  if ("answer" in resolution) return resolution.answer;
  return "answers" in resolution ? resolution.answers.join("; ") : null;
}
