// Labels of agents' tasks, of unanswered questions and of results of gates.
import type { Payload } from "@/domain/feed/event";

const TASKS: Record<string, string> = {
  scout: "explores the project",
  plan: "plans the phase",
  execute: "executes the plan",
  audit: "checks the result against the contracts",
  fix: "fixes failures",
};

const UNANSWERED: Record<string, string> = {
  timed_out: "The question expired; the agent decides",
  skipped: "The decision was left to the agent",
  cancelled: "The question was cancelled",
};

export const taskLabel = (task: string) => TASKS[task] ?? "begins";

export const unansweredLabel = (how: string | undefined) => UNANSWERED[how ?? ""] ?? "";

/** `failed before the build`; `runs…` while there is no result. */
export function gateResult(finished: Payload | null): string {
  if (!finished) return "runs…";
  const before = finished.baseline_sha ? " before the build" : "";
  const when = finished.requested ? " on request" : before;
  if (finished.resource) {
    return `ran out of ${finished.resource === "disk" ? "disk space" : "memory"}${when}`;
  }
  return `${finished.passed ? "passed" : "failed"}${when}`;
}
