// Which required questions of a project have no answer.
import { useQuestionnaire } from "@/features/questionnaire/api";
import { draftOf, progressOf } from "@/features/questionnaire/draft";

export function useUnanswered(projectId: string) {
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
