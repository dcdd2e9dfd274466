// How each status of a build is said and shown.
import type { BuildStatus } from "./api";
import type { Tone } from "./tone";

export const STATUS: Record<BuildStatus, { label: string; tone: Tone; hint: string }> = {
  queued: { label: "Queued", tone: "neutral", hint: "Waiting for a worker to pick it up." },
  running: { label: "Running", tone: "accent", hint: "Agents are at work." },
  awaiting_input: {
    label: "Needs your answer",
    tone: "waiting",
    hint: "The builder asked a question and waits.",
  },
  paused: { label: "Paused", tone: "neutral", hint: "Nothing happens until someone resumes it." },
  retrying: {
    label: "Retrying soon",
    tone: "waiting",
    hint: "A try failed; the next one is scheduled.",
  },
  sealing: {
    label: "Sealing",
    tone: "info",
    hint: "Every gate runs once more on the finished branch.",
  },
  sealed: { label: "Sealed", tone: "good", hint: "Finished; the branch carries its verdict." },
  blocked: { label: "Blocked", tone: "bad", hint: "It cannot go on without a person." },
  abandoned: { label: "Cancelled", tone: "neutral", hint: "Given up; the branch stays as it is." },
};

export const isFinal = (status: BuildStatus) => status === "sealed" || status === "abandoned";
/** Whether the clock of the build runs. */
export const isWorking = (status: BuildStatus) => status === "running" || status === "sealing";
