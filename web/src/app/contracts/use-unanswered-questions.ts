// The required questions of a project that have no answer.

import { draftOf, progressOf } from "@/features/questionnaire/answers/draft";
import { useQuestionnaire } from "@/features/questionnaire/api";

/** Null while it is loading. */
export function useUnansweredQuestions(projectId: string) {
  const { data } = useQuestionnaire(projectId);
  if (!data) return null;
  const { missing } = progressOf(data.sections, draftOf(data).answers);
  return missing.map(({ section, question }) => ({
    section: section.id,
    question: question.id,
    label: question.label,
    title: section.title,
  }));
}
