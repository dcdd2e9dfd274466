// The commands that people give a run of a model.
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Generation, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/problem";
import { keys } from "@/lib/query-keys";
import { takeGeneration } from "./generation-cache";

export function useCancelGeneration({ id, project_id }: Generation) {
  const params = { path: { generation: id } };
  return useGenerationCommand<void>(project_id, () =>
    unwrap(api.POST("/api/generations/{generation}/cancel", { params })),
  );
}

export function useResumeGeneration({ id, project_id }: Generation) {
  const params = { path: { generation: id } };
  return useGenerationCommand<void>(project_id, () =>
    unwrap(api.POST("/api/generations/{generation}/resume", { params })),
  );
}

/** Sends a command whose answer is the run that it is about. */
export function useGenerationCommand<T>(project: string, send: (input: T) => Promise<Generation>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (generation) => takeGeneration(client, generation),
    onError: (error) => lookAgain(client, project, error),
  });
}

/** A refusal says that something is different from what the page shows. */
function lookAgain(client: QueryClient, project: string, error: unknown) {
  if (isStatus(error, 409)) {
    client.invalidateQueries({ queryKey: keys.generation(project) });
    client.invalidateQueries({ queryKey: keys.interview(project) });
  }
  if (isStatus(error, 422)) client.invalidateQueries({ queryKey: keys.questionnaire(project) });
}
