// Answers to the builder's questions.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Build, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type Resolution = { answer: string } | { skip: true };

export function useResolveQuestion(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, resolution }: { id: string; resolution: Resolution }) =>
      unwrap(
        api.POST("/api/builds/{build}/clarify", {
          params: { path: { build } },
          body: { question_id: id, ...resolution } as never,
        }),
      ),
    onSuccess: (_, { id }) =>
      client.setQueryData<Build>(keys.build(build), (before) =>
        before?.open_question?.id === id ? { ...before, open_question: null } : before,
      ),
    onSettled: () => {
      client.invalidateQueries({ queryKey: keys.build(build) });
      client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}
