// Changes of a build that are applied before the server's next response: status and open questions.
import type { Build, Clarification } from "@/lib/api";
import type { FeedEvent, Payload } from "./event";

type Patch = (event: FeedEvent, build: Build) => Partial<Build> | null;

const PATCHES: Record<string, Patch> = {
  build_started: ({ at }) => ({ status: "running", started_at: at }),
  build_paused: (_, build) => ({ status: "paused", ...withExpiries(build, () => null) }),
  build_unpaused: ({ payload }, build) => ({
    status: statusWhenResumed(build),
    ...withExpiries(build, (id) => expiryAfterPause(payload, id)),
  }),
  build_retry_scheduled: () => ({ status: "retrying" }),
  build_sealing: () => ({ status: "sealing" }),
  build_abandoned: () => ({ status: "abandoned", open_clarifications: [] }),
  build_clarification_request: (event, { open_clarifications: open }) => ({
    status: "awaiting_input",
    open_clarifications: [...open.filter(isOther(event)), questionOf(event)],
  }),
  build_clarification_resolved: (event, { open_clarifications: open, status }) => {
    const resolved = open.find((question) => !isOther(event)(question));
    if (!resolved) return null;
    const left = open.filter(isOther(event));
    return {
      open_clarifications: left,
      status: left.length > 0 ? status : statusWhenAnswered(status, resolved),
    };
  },
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
function statusWhenResumed({ started_at, open_clarifications }: Build): Build["status"] {
  if (started_at === null) return "queued";
  return open_clarifications.length > 0 ? "awaiting_input" : "running";
}

/** A pause stops the timeouts of open questions. */
function withExpiries(
  { open_clarifications }: Build,
  expiryOf: (id: string) => string | null,
): Partial<Build> {
  const moved = open_clarifications.map((open) => ({ ...open, expires_at: expiryOf(open.id) }));
  return { open_clarifications: moved };
}

/** Older versions recorded the expiry of the only question. */
function expiryAfterPause(
  { question_expiries, question_expires_at }: Payload,
  id: string,
): string | null {
  const own = question_expiries?.find(({ question_id }) => question_id === id);
  return own?.expires_at ?? question_expires_at ?? null;
}

const isOther =
  ({ payload }: FeedEvent) =>
  ({ id }: Clarification) =>
    id !== payload.question_id;

function questionOf({ seq, payload, at }: FeedEvent): Clarification {
  return {
    id: payload.question_id ?? "",
    kind: payload.kind ?? "question",
    question: payload.question ?? "",
    context: payload.context ?? null,
    options: payload.options ?? [],
    multiple: payload.multiple ?? false,
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
