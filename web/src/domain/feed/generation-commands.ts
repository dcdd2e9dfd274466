// Commands for contract generations.
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Generation, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { keys } from "@/lib/query-keys";
import { isRunning } from "../generation";
import { latestGeneration, storeGeneration } from "./generation-cache";

export function useCancelGeneration(generation: Generation) {
  const client = useQueryClient();
  const { id, project_id } = generation;
  const params = { path: { generation: id } };
  return useGenerationCommand<void>(project_id, async () => {
    const reply = await unwrap(api.POST("/api/generations/{generation}/cancel", { params }));
    // The stream may already have reported the end: the reply is older, and nothing follows it.
    const latest = latestGeneration(client, generation);
    return latest?.id === id && !isRunning(latest) ? latest : reply;
  });
}

export function useResumeGeneration({ id, project_id }: Generation) {
  const params = { path: { generation: id } };
  return useGenerationCommand<void>(project_id, () =>
    unwrap(api.POST("/api/generations/{generation}/resume", { params })),
  );
}

/** For commands that return the generation. */
export function useGenerationCommand<T>(project: string, send: (input: T) => Promise<Generation>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (generation) => storeGeneration(client, generation),
    onError: (error) => lookAgain(client, project, error),
  });
}

/** A rejected command means that the page is outdated. */
function lookAgain(client: QueryClient, project: string, error: unknown) {
  if (isStatus(error, 409)) {
    client.invalidateQueries({ queryKey: keys.generation(project) });
    client.invalidateQueries({ queryKey: keys.interview(project) });
  }
  if (isStatus(error, 422)) client.invalidateQueries({ queryKey: keys.questionnaire(project) });
}
