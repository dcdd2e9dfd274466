// The tab's title: what the page shows, with the number of waiting questions in front.
import { useDocumentTitle } from "@mantine/hooks";
import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { Project } from "./api";
import { keys } from "./query-keys";

/**
 * How many questions wait over all projects, as far as the page knows. It looks at what is there and
 * is no observer: one without a way to fetch would take that way from those who have it.
 */
export function useOpenQuestions(): number {
  const client = useQueryClient();
  const subscribe = useCallback(
    (changed: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(changed)),
    [client],
  );
  return useSyncExternalStore(subscribe, () => {
    const data = client.getQueryData<{ items: Project[] }>(keys.projects);
    return data?.items.reduce((sum, project) => sum + project.open_questions, 0) ?? 0;
  });
}

export function useTitle(...parts: (string | null | undefined | false)[]) {
  const questions = useOpenQuestions();
  const text = [...parts.filter(Boolean), "ForgeGuard"].join(" — ");
  useDocumentTitle(questions > 0 && !text.startsWith("(") ? `(${questions}) ${text}` : text);
}
