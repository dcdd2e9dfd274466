// Keeps the server cache true while events come in: what is known is written, the rest is asked again.
import type { QueryClient } from "@tanstack/react-query";
import type { Build } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import type { FeedEvent } from "./event";

type Topic =
  | "build"
  | "usage"
  | "errors"
  | "commits"
  | "diff"
  | "project"
  | "notepad"
  | "questions";

const TOPICS: Record<string, Topic[]> = {
  build_error_tracked: ["errors", "build"],
  build_error_resolved: ["errors", "build"],
  build_error_reopened: ["errors", "build"],
  build_commit_created: ["commits", "diff", "build"],
  build_file_changed: ["diff"],
  build_phase_complete: ["errors", "build"],
  build_started: ["build", "project"],
  build_sealed: ["build", "project", "commits", "diff", "errors"],
  build_abandoned: ["build", "project"],
  build_blocked: ["build", "project"],
  build_clarification_request: ["build", "project", "questions"],
  build_clarification_resolved: ["build", "project", "questions"],
  build_tool_call_started: [],
  build_tool_call_finished: [],
  build_agent_finished: [],
  build_log: [],
  build_agent_turn: ["build", "usage"],
  build_contract_read: ["build", "usage"],
};

const WAIT_MS: Record<Topic, number> = {
  build: 300,
  usage: 800,
  errors: 200,
  commits: 400,
  diff: 600,
  project: 400,
  notepad: 400,
  questions: 100,
};

/** Returns the function that is told of every batch of new events of one build. */
export function createFeedCache(client: QueryClient, buildId: string, projectId: string) {
  const waiting = new Map<Topic, ReturnType<typeof setTimeout>>();

  const refetch: Record<Topic, () => void> = {
    build: () => client.invalidateQueries({ queryKey: keys.build(buildId) }),
    usage: () => client.invalidateQueries({ queryKey: keys.usage(buildId) }),
    errors: () => client.invalidateQueries({ queryKey: keys.errors(buildId) }),
    commits: () => client.invalidateQueries({ queryKey: keys.commits(buildId) }),
    diff: () => client.invalidateQueries({ queryKey: keys.diff(buildId) }),
    project: () => {
      client.invalidateQueries({ queryKey: keys.project(projectId), exact: true });
      client.invalidateQueries({ queryKey: keys.projectBuilds(projectId) });
      client.invalidateQueries({ queryKey: keys.projects });
    },
    questions: () => {
      client.invalidateQueries({ queryKey: keys.questions(buildId) });
      client.invalidateQueries({ queryKey: keys.openQuestions });
      client.invalidateQueries({ queryKey: keys.answers(projectId) });
    },
    notepad: () => client.invalidateQueries({ queryKey: keys.notepad(projectId) }),
  };

  function later(topic: Topic) {
    if (waiting.has(topic)) return;
    const timer = setTimeout(() => {
      waiting.delete(topic);
      refetch[topic]();
    }, WAIT_MS[topic]);
    waiting.set(topic, timer);
  }

  return (events: FeedEvent[]) => {
    const build = client.getQueryData<Build>(keys.build(buildId));
    if (build) client.setQueryData(keys.build(buildId), events.reduce(patchBuild, build));
    for (const event of events) {
      for (const topic of TOPICS[event.type] ?? ["build"]) later(topic as Topic);
    }
  };
}

/** The changes that must not wait for the next answer: the status and the open question. */
export function patchBuild(build: Build, { seq, type, payload, at }: FeedEvent): Build {
  switch (type) {
    case "build_clarification_request":
      return {
        ...build,
        status: "awaiting_input",
        open_question: {
          id: payload.question_id ?? "",
          question: payload.question ?? "",
          context: payload.context ?? null,
          options: payload.options ?? [],
          asked_by: payload.asked_by ?? "coder",
          asked_at: at,
          expires_at: payload.expires_at ?? null,
          status: "open",
          answer: null,
          answered_by: null,
          answered_by_name: null,
          resolved_at: null,
          resolved_seq: null,
          asked_seq: seq,
          contract: null,
        } as Build["open_question"],
      };
    case "build_clarification_resolved":
      return build.open_question?.id === payload.question_id
        ? { ...build, status: "running", open_question: null }
        : build;
    case "build_paused":
      return { ...build, status: "paused" };
    case "build_started":
    case "build_unpaused":
      return { ...build, status: "running" };
    case "build_sealing":
      return { ...build, status: "sealing" };
    case "build_abandoned":
      return { ...build, status: "abandoned", open_question: null };
    default:
      return build;
  }
}
