// The required questions of a project that have no answer.

import { draftOf, progressOf } from "@/features/questionnaire/answers/draft";
import { useQuestionnaire } from "@/features/questionnaire/api";

export function useUnansweredQuestions(projectId: string) {
  const { data } = useQuestionnaire(projectId);
  if (!data) return [];
  const { missing } = progressOf(data.sections, draftOf(data).answers);
  return missing.map(({ section, question }) => ({
    section: section.id,
    question: question.id,
    label: question.label,
    title: section.title,
  }));
}
