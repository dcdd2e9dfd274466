// The tab's title: what the page shows, with the number of waiting questions in front.
import { useDocumentTitle } from "@mantine/hooks";
import { skipToken, useQuery } from "@tanstack/react-query";
import type { Project } from "./api";
import { keys } from "./query-keys";

/** How many questions wait over all projects, as far as the page knows. */
export function useOpenQuestions(): number {
  const { data } = useQuery<{ items: Project[] }>({
    queryKey: keys.projects,
    queryFn: skipToken,
  });
  return data?.items.reduce((sum, project) => sum + project.open_questions, 0) ?? 0;
}

export function useTitle(...parts: (string | null | undefined | false)[]) {
  const questions = useOpenQuestions();
  const text = [...parts.filter(Boolean), "ForgeGuard"].join(" — ");
  useDocumentTitle(questions > 0 && !text.startsWith("(") ? `(${questions}) ${text}` : text);
}
