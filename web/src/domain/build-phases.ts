// Phases of a build, and why users cannot control them now.
import type { Build } from "@/lib/api";

/** The first phase that is neither complete nor skipped. */
export const currentPhase = ({ phases }: Pick<Build, "phases">) =>
  phases.find(({ status }) => status === "running" || status === "pending");

const HALTED = ["paused", "blocked"];

/** Why the current phase cannot be retried or skipped; null if it can. */
export const phaseObstacle = ({ status }: Pick<Build, "status">): string | null =>
  HALTED.includes(status) || status === "awaiting_input" ? null : "Pause the build first.";

/** Why the gates cannot run now; null if they can. */
export function gatesObstacle(build: Pick<Build, "status" | "phases" | "gates_requested">) {
  if (build.gates_requested) {
    return HALTED.includes(build.status)
      ? "The gates are running."
      : "Queued: the gates run after the current step of the agent.";
  }
  return currentPhase(build)?.status === "running" ? null : "No phase is in progress.";
}
