// The status of a build and what to do next, the same on every screen.
import type { BuildStatus, BuildSummary, Schemas } from "@/lib/api";
import type { BuildTab } from "@/lib/paths";
import type { Tone } from "@/lib/tone";
import { isLimit } from "./block-reasons";
import { VERDICT } from "./verdict";

export type ReviewProgress = Schemas["ReviewProgress"];

/** Everything that the status depends on. */
export type BuildFacts = Pick<
  BuildSummary,
  "status" | "verdict" | "review" | "blocked_reason" | "blocked_text" | "open_questions"
>;

export interface BuildState {
  label: string;
  tone: Tone;
  /** A sentence or two. */
  hint: string;
  /** On the build's page. */
  action: { label: string; tab?: BuildTab };
}

const watch = { label: "Watch build" };

const UNFINISHED: Record<Exclude<BuildStatus, "sealed" | "blocked">, BuildState> = {
  queued: { label: "Queued", tone: "neutral", hint: "Waiting for a worker.", action: watch },
  running: { label: "Running", tone: "accent", hint: "Agents are working.", action: watch },
  awaiting_input: {
    label: "Needs your answer",
    tone: "waiting",
    hint: "An agent asked a question and is waiting for the answer.",
    action: { label: "Answer question" },
  },
  paused: {
    label: "Paused",
    tone: "neutral",
    hint: "Paused until someone resumes it.",
    action: { label: "Resume build" },
  },
  retrying: {
    label: "Retrying",
    tone: "waiting",
    hint: "An attempt failed; the next one is scheduled.",
    action: watch,
  },
  sealing: {
    label: "Sealing",
    tone: "info",
    hint: "All gates run again on the finished branch.",
    action: watch,
  },
  abandoned: {
    label: "Cancelled",
    tone: "neutral",
    hint: "Cancelled. The branch is kept.",
    action: { label: "Open build" },
  },
};

const REVIEW: Record<ReviewProgress, BuildState> = {
  waiting: {
    label: "Waiting for review",
    tone: "info",
    hint: "Another administrator has to approve it.",
    action: { label: "Open result", tab: "seal" },
  },
  changes_requested: {
    label: "Changes requested",
    tone: "waiting",
    hint: "A reviewer requested changes. A follow-up build can carry them out.",
    action: { label: "Address changes" },
  },
  approved: {
    label: "Approved",
    tone: "good",
    hint: "It is approved: fetch its branch and merge it.",
    action: { label: "Get the branch", tab: "seal" },
  },
};

export function buildState(build: BuildFacts): BuildState {
  const { status, verdict, review, blocked_reason, blocked_text, open_questions } = build;
  if (status === "sealed") {
    const state = REVIEW[review ?? "waiting"];
    return verdict ? { ...state, hint: `${VERDICT[verdict].meaning} ${state.hint}` } : state;
  }
  if (status === "blocked") {
    const action = { label: isLimit(blocked_reason) ? "Raise limit" : "Resolve block" };
    const hint = `It cannot continue without your help. ${blocked_text ?? ""}`.trim();
    return { label: "Blocked", tone: "bad", hint, action };
  }
  // A question can be open while other agents are still working.
  if (open_questions > 0 && status === "running") return UNFINISHED.awaiting_input;
  return UNFINISHED[status] ?? UNFINISHED.queued;
}

export const isFinal = (status: BuildStatus) => status === "sealed" || status === "abandoned";

export const unfinished = <B extends { status: BuildStatus }>(builds: B[]): B[] =>
  builds.filter(({ status }) => !isFinal(status));
/** Whether working time is counted. */
export const isWorking = (status: BuildStatus) => status === "running" || status === "sealing";
