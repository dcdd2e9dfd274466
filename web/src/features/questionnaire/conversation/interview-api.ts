// The interview: messages between the user and a model.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { latestReply } from "@/domain/feed/interview-cache";
import { useGenerationFeed } from "@/domain/feed/use-generation-feed";
import { isRunning } from "@/domain/generation";
import { api, type Interview, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

const LOOK_AGAIN_MS = 5_000;

export const fetchInterview = (project: string): Promise<Interview> =>
  unwrap(api.GET("/api/projects/{project}/interview", { params: { path: { project } } }));

/** Sending a message again with the same key has no effect. */
export const sendMessage = (project: string, text: string, key: string): Promise<Interview> =>
  unwrap(
    api.POST("/api/projects/{project}/interview", {
      params: { path: { project }, header: { "Idempotency-Key": key } },
      body: { text },
    }),
  );

export function useInterview(project: string) {
  return useQuery({
    queryKey: keys.interview(project),
    queryFn: () => fetchInterview(project),
  });
}

/** The interview with live replies, and whether the stream is disconnected. */
export function useLiveInterview(project: string) {
  const query = useQuery({
    queryKey: keys.interview(project),
    queryFn: () => fetchInterview(project),
    refetchInterval: ({ state: { data } }) => {
      const run = data?.generation;
      // A running reply is streamed; another window may send messages.
      return data?.available && !(run && isRunning(run)) ? LOOK_AGAIN_MS : false;
    },
  });
  const lost = useGenerationFeed(query.data?.generation ?? null);
  return { query, lost };
}

export function useSendMessage(project: string) {
  const client = useQueryClient();
  // A retry with the same text uses the same key.
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: (text: string) => {
      if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
      return sendMessage(project, text, last.current.key);
    },
    onSuccess: (interview) => {
      last.current = { text: "", key: "" };
      // The reply may have been followed already: this is older.
      const followed = latestReply(client, project);
      if (followed && followed.id === interview.generation?.id) return;
      storeResponse(client, keys.interview(project), interview);
    },
    onError: (error) => {
      if (isStatus(error, 409)) client.invalidateQueries({ queryKey: keys.interview(project) });
    },
  });
}
