// Questions of agents, and answers.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchEvents } from "@/domain/feed/fetch-events";
import { api, type Build, type Clarification, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";
import type { Resolution } from "./answer-draft";
import { isOfAgent } from "./asked-by";

/** How often the list of open questions is refetched. */
const LOOK_AGAIN_MS = 4_000;
/** Events after an expired question that are searched for the agent's decision. */
const DECISION_WITHIN = 60;

export function useResolveQuestion(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, resolution }: { id: string; resolution: Resolution }) =>
      unwrap(
        api.POST("/api/builds/{build}/clarify", {
          params: { path: { build } },
          body: { question_id: id, ...resolution },
        }),
      ),
    onSuccess: (_, { id }) =>
      client.setQueryData<Build>(
        keys.build(build),
        (before) =>
          before && {
            ...before,
            open_clarifications: before.open_clarifications.filter((open) => open.id !== id),
          },
      ),
    onSettled: () => {
      client.invalidateQueries({ queryKey: keys.build(build) });
      client.invalidateQueries({ queryKey: keys.questions(build) });
      client.invalidateQueries({ queryKey: keys.openQuestions });
      client.invalidateQueries({ queryKey: keys.inbox });
      client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}

const fetchQuestions = (build: string): Promise<Clarification[]> =>
  fetchAllPages((query) =>
    unwrap(api.GET("/api/builds/{build}/clarifications", { params: { path: { build }, query } })),
  );

/** All questions of a build, oldest first. */
export function useQuestions(build: string) {
  return useQuery({ queryKey: keys.questions(build), queryFn: () => fetchQuestions(build) });
}

export async function fetchQuestion(build: string, id: string): Promise<Clarification | null> {
  return (await fetchQuestions(build)).find((question) => question.id === id) ?? null;
}

/** Open questions in all builds of the user's projects. */
export function useOpenQuestions() {
  return useQuery({
    queryKey: keys.openQuestions,
    queryFn: () =>
      fetchAllPages((page) =>
        unwrap(api.GET("/api/clarifications", { params: { query: { state: "open", ...page } } })),
      ),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** Answers given to builds of a project, newest first. */
export function useAnswers(project: string) {
  return useQuery({
    queryKey: keys.answers(project),
    queryFn: () =>
      fetchAllPages((query) =>
        unwrap(
          api.GET("/api/projects/{project}/answers", { params: { path: { project }, query } }),
        ),
      ),
  });
}

/** The agent's first text after a question expired; null if there is none yet. */
export function useDecision(build: string, question: Clarification) {
  const { status, resolved_seq: after } = question;
  return useQuery({
    queryKey: keys.decision(build, after ?? 0),
    enabled: status === "timed_out" && after !== null && isOfAgent(question),
    queryFn: async () => {
      const items = await fetchEvents(build, { after: after ?? 0, limit: DECISION_WITHIN });
      const said = items.find(({ type, payload }) => type === "build_agent_turn" && payload.text);
      return { text: said?.payload.text ?? null, whole: items.length === DECISION_WITHIN };
    },
    refetchInterval: ({ state: { data } }) => (data && (data.text || data.whole) ? false : 2_000),
  });
}

/** Sends a late answer as a hint. */
export function useHint(build: string) {
  return useMutation({
    mutationFn: ({ question, answer }: { question: string; answer: string }) =>
      unwrap(
        api.POST("/api/builds/{build}/interject", {
          params: { path: { build } },
          body: { text: hintOf(question, answer) },
        }),
      ),
  });
}

export const hintOf = (question: string, answer: string) =>
  `To your question “${question}”, the late answer: ${answer}`;
