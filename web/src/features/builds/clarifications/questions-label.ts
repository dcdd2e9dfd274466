// How open questions are announced.
import type { Clarification } from "@/lib/api";
import { plural } from "@/lib/format";

/** “Question”, or “3 questions”. */
export const questionsLabel = ({ length }: Clarification[]) =>
  length === 1 ? "Question" : plural(length, "question");

export const questionsText = (questions: Clarification[]) =>
  questions.map(({ question }) => question).join(" ");
