// Labels of build statuses.
import type { BuildStatus } from "@/lib/api";
import type { Tone } from "@/lib/tone";

export const STATUS: Record<BuildStatus, { label: string; tone: Tone; hint: string }> = {
  queued: { label: "Queued", tone: "neutral", hint: "Waiting for a worker." },
  running: { label: "Running", tone: "accent", hint: "Agents are working." },
  awaiting_input: {
    label: "Needs your answer",
    tone: "waiting",
    hint: "An agent asked a question and is waiting for the answer.",
  },
  paused: { label: "Paused", tone: "neutral", hint: "Paused until someone resumes it." },
  retrying: {
    label: "Retrying",
    tone: "waiting",
    hint: "An attempt failed; the next one is scheduled.",
  },
  sealing: {
    label: "Sealing",
    tone: "info",
    hint: "All gates run again on the finished branch.",
  },
  sealed: { label: "Sealed", tone: "good", hint: "Finished, with a signed verdict." },
  blocked: { label: "Blocked", tone: "bad", hint: "It cannot continue without your help." },
  abandoned: { label: "Cancelled", tone: "neutral", hint: "Cancelled. The branch is kept." },
};

export const isFinal = (status: BuildStatus) => status === "sealed" || status === "abandoned";
/** Whether working time is counted. */
export const isWorking = (status: BuildStatus) => status === "running" || status === "sealing";
