// Questions about a project, and their answers.
import { useQuery } from "@tanstack/react-query";
import { api, type Questionnaire, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { type Draft, nest } from "./answers/draft";

export const fetchQuestionnaire = (project: string): Promise<Questionnaire> =>
  unwrap(api.GET("/api/projects/{project}/questionnaire", { params: { path: { project } } }));

export const saveAnswers = (
  project: string,
  { size, answers }: Draft,
  version: number,
): Promise<Questionnaire> =>
  unwrap(
    api.PUT("/api/projects/{project}/questionnaire", {
      params: { path: { project } },
      body: { size, answers: nest(answers), version },
    }),
  );

export function useQuestionnaire(project: string) {
  return useQuery({
    queryKey: keys.questionnaire(project),
    queryFn: () => fetchQuestionnaire(project),
  });
}

/** Answers suggested by the repository; refetched whenever the form is opened. */
export function useSuggestedAnswers(project: string) {
  return useQuery({
    queryKey: keys.suggestedAnswers(project),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/questionnaire/suggestions", {
          params: { path: { project } },
        }),
      ),
  });
}
