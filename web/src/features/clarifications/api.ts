// Questions of builders, and what people answer.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Build, type Clarification, unwrap } from "@/lib/api";
import type { FeedEvent } from "@/lib/feed/event";
import { keys } from "@/lib/query-keys";

export type Resolution = { answer: string } | { skip: true };

/** How often the page of all questions looks for new ones; what is answered comes at once. */
const LOOK_AGAIN_MS = 4_000;
/** Events after a time-out in which the builder's first words are looked for. */
const DECISION_WITHIN = 60;

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
      client.invalidateQueries({ queryKey: keys.questions(build) });
      client.invalidateQueries({ queryKey: keys.openQuestions });
      client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}

async function fetchQuestions(build: string): Promise<Clarification[]> {
  const params = { path: { build }, query: { limit: 200 } };
  return (await unwrap(api.GET("/api/builds/{build}/clarifications", { params }))).items;
}

/** All questions of a build, in the order they were asked. */
export function useQuestions(build: string) {
  return useQuery({ queryKey: keys.questions(build), queryFn: () => fetchQuestions(build) });
}

/** One question as it is now. */
export async function fetchQuestion(build: string, id: string): Promise<Clarification | null> {
  return (await fetchQuestions(build)).find((question) => question.id === id) ?? null;
}

/** The questions that wait, in all builds of the person's projects. */
export function useOpenQuestions() {
  return useQuery({
    queryKey: keys.openQuestions,
    queryFn: async () => {
      const params = { query: { state: "open" as const, limit: 200 } };
      return (await unwrap(api.GET("/api/clarifications", { params }))).items;
    },
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** What people answered to builds of a project, newest first. */
export function useAnswers(project: string) {
  return useQuery({
    queryKey: keys.answers(project),
    queryFn: async () => {
      const params = { path: { project }, query: { limit: 200 } };
      return (await unwrap(api.GET("/api/projects/{project}/answers", { params }))).items;
    },
  });
}

/** What the builder said first once nobody had answered; null until it has said something. */
export function useDecision(build: string, { status, resolved_seq: after }: Clarification) {
  return useQuery({
    queryKey: keys.decision(build, after ?? 0),
    enabled: status === "timed_out" && after !== null,
    queryFn: async () => {
      const query = { after: after ?? 0, limit: DECISION_WITHIN };
      const params = { path: { build }, query };
      const page = await unwrap(api.GET("/api/builds/{build}/events", { params }));
      const { items } = page as unknown as { items: FeedEvent[] };
      const said = items.find(({ type, payload }) => type === "build_agent_turn" && payload.text);
      return { text: said?.payload.text ?? null, whole: items.length === DECISION_WITHIN };
    },
    refetchInterval: ({ state: { data } }) => (data && (data.text || data.whole) ? false : 2_000),
  });
}

/** Sends an answer that comes too late as a hint. */
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
