// What a person and a model say about a project.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, type Interview, unwrap } from "@/lib/api";
import { useGenerationFeed } from "@/lib/feed/use-generation-feed";
import { isUnderWay } from "@/lib/generation";
import { newKey } from "@/lib/new-key";
import { isStatus } from "@/lib/problem";
import { keys } from "@/lib/query-keys";

const LOOK_AGAIN_MS = 5_000;

export const fetchInterview = (project: string): Promise<Interview> =>
  unwrap(api.GET("/api/projects/{project}/interview", { params: { path: { project } } }));

/** Sent again with the same key, it is said once. */
export const say = (project: string, text: string, key: string): Promise<Interview> =>
  unwrap(
    api.POST("/api/projects/{project}/interview", {
      params: { path: { project }, header: { "Idempotency-Key": key } },
      body: { text },
    }),
  );

/** What was said when somebody last looked. */
export function useInterview(project: string) {
  return useQuery({
    queryKey: keys.interview(project),
    queryFn: () => fetchInterview(project),
  });
}

/** What is said as it is said, and whether the connection to it is away. */
export function useLiveInterview(project: string) {
  const query = useQuery({
    queryKey: keys.interview(project),
    queryFn: () => fetchInterview(project),
    refetchInterval: ({ state: { data } }) => {
      const run = data?.generation;
      // A run that goes on is followed as a stream; another window may say something.
      return data?.available && !(run && isUnderWay(run)) ? LOOK_AGAIN_MS : false;
    },
  });
  const lost = useGenerationFeed(query.data?.generation ?? null);
  return { query, lost };
}

export function useSay(project: string) {
  const client = useQueryClient();
  // The same text is the same message: trying again after a lost answer says it once.
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: (text: string) => {
      if (last.current.text !== text) last.current = { text, key: newKey() };
      return say(project, text, last.current.key);
    },
    onSuccess: (interview) => {
      last.current = { text: "", key: "" };
      client.setQueryData(keys.interview(project), interview);
    },
    onError: (error) => {
      if (isStatus(error, 409)) client.invalidateQueries({ queryKey: keys.interview(project) });
    },
  });
}
