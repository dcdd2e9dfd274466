// The document title: the page, prefixed with the number of open questions.
import { useDocumentTitle } from "@mantine/hooks";
import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { Project } from "@/lib/api";
import { keys } from "@/lib/query-keys";

/**
 * Open questions of all projects, as far as they are cached. Reads the cache without observing the query:
 * an observer without a query function would replace that of others.
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

export function usePageTitle(...parts: (string | null | undefined | false)[]) {
  const questions = useOpenQuestions();
  const text = [...parts.filter(Boolean), "ForgeGuard"].join(" — ");
  useDocumentTitle(questions > 0 && !text.startsWith("(") ? `(${questions}) ${text}` : text);
}
