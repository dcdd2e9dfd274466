// Changes of a build that are applied before the server's next response: status and open question.
import type { Build, Clarification } from "@/lib/api";
import type { FeedEvent } from "./event";

type Patch = (event: FeedEvent, build: Build) => Partial<Build> | null;

const PATCHES: Record<string, Patch> = {
  build_started: ({ at }) => ({ status: "running", started_at: at }),
  build_paused: (_, build) => ({ status: "paused", ...withExpiry(build, null) }),
  build_unpaused: ({ payload }, build) => ({
    status: statusWhenResumed(build),
    ...withExpiry(build, payload.question_expires_at ?? null),
  }),
  build_retry_scheduled: () => ({ status: "retrying" }),
  build_sealing: () => ({ status: "sealing" }),
  build_abandoned: () => ({ status: "abandoned", open_question: null }),
  build_clarification_request: (event) => ({
    status: "awaiting_input",
    open_question: questionOf(event),
  }),
  build_clarification_resolved: ({ payload }, { open_question, status }) =>
    open_question && open_question.id === payload.question_id
      ? { status: statusWhenAnswered(status, open_question), open_question: null }
      : null,
};

export const changesBuild = ({ type }: FeedEvent) => type in PATCHES;

/** The build after the event; the same object if the event does not change it. */
export function patchBuild(build: Build, event: FeedEvent): Build {
  const change = PATCHES[event.type]?.(event, build);
  return change ? { ...build, ...change, head_seq: event.seq } : build;
}

/** Before the seal, the last questions are asked. */
function statusWhenAnswered(status: Build["status"], { kind }: Clarification): Build["status"] {
  if (status !== "awaiting_input") return status;
  return kind === "confirmation" ? "sealing" : "running";
}

/** A build that was paused before it started is queued again. */
function statusWhenResumed({ started_at, open_question }: Build): Build["status"] {
  if (started_at === null) return "queued";
  return open_question ? "awaiting_input" : "running";
}

/** A pause stops the timeout of an open question. */
function withExpiry({ open_question }: Build, expires_at: string | null): Partial<Build> {
  return open_question ? { open_question: { ...open_question, expires_at } } : {};
}

function questionOf({ seq, payload, at }: FeedEvent): Build["open_question"] {
  return {
    id: payload.question_id ?? "",
    kind: payload.kind ?? "question",
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
  };
}
