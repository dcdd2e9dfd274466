// Questions about a build, which a model answers from its record.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { isRunning } from "@/domain/generation";
import { api, type BuildQuestion, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";

const ANSWERING_REFETCH_MS = 1_000;

export interface BuildQuestions {
  /** Newest first. */
  items: BuildQuestion[];
  /** Why questions cannot be answered, and what to do. */
  unavailableReason: string | null;
}

export function useBuildQuestions(build: string) {
  return useQuery({
    queryKey: keys.buildQuestions(build),
    queryFn: async (): Promise<BuildQuestions> => {
      let unavailableReason: string | null = null;
      const items = await fetchAllPages(async (query) => {
        const params = { path: { build }, query };
        const page = await unwrap(api.GET("/api/builds/{build}/questions", { params }));
        unavailableReason = page.unavailable_reason;
        return page;
      });
      return { items, unavailableReason };
    },
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ generation }) => isRunning(generation))
        ? ANSWERING_REFETCH_MS
        : false,
  });
}

export function useAskQuestion(build: string) {
  const client = useQueryClient();
  // A retry with the same text uses the same key.
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: (text: string) => {
      if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
      const params = { path: { build }, header: { "Idempotency-Key": last.current.key } };
      return unwrap(api.POST("/api/builds/{build}/questions", { params, body: { text } }));
    },
    onSuccess: () => {
      last.current = { text: "", key: "" };
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.buildQuestions(build) }),
  });
}

/** Stops an answer, or tries again. */
export function useQuestionCommand({ build_id, generation: { id } }: BuildQuestion) {
  const client = useQueryClient();
  const params = { path: { generation: id } };
  return useMutation({
    mutationFn: (command: "cancel" | "resume") =>
      command === "cancel"
        ? unwrap(api.POST("/api/generations/{generation}/cancel", { params }))
        : unwrap(api.POST("/api/generations/{generation}/resume", { params })),
    onSettled: () => {
      client.invalidateQueries({ queryKey: keys.buildQuestions(build_id) });
      client.invalidateQueries({ queryKey: keys.usage(build_id) });
    },
  });
}
