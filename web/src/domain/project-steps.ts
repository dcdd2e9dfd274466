// The steps of a project, from its description to the finished code.
import type { BuildSummary } from "@/lib/api";
import { isFinal } from "./build-status";

export type StepName = "describe" | "contracts" | "build" | "review" | "deliver";

export interface ProjectStep {
  name: StepName;
  label: string;
  state: "done" | "current" | "ahead";
  /** Where the step stands. */
  note: string;
}

export interface ProjectFacts {
  /** Whether all required questions are answered. */
  answered: boolean;
  /** Whether the project has contracts of its own. */
  described: boolean;
  /** Its newest build. */
  latest: BuildSummary | undefined;
}

const LABELS: Record<StepName, string> = {
  describe: "Describe",
  contracts: "Contracts",
  build: "Build",
  review: "Review",
  deliver: "Deliver",
};
const NAMES = Object.keys(LABELS) as StepName[];

/** Steps before the current one are done, later ones are ahead. */
export function projectSteps(facts: ProjectFacts): ProjectStep[] {
  const at = NAMES.indexOf(currentStep(facts));
  return NAMES.map((name, index) => {
    const state = index < at ? "done" : index === at ? "current" : "ahead";
    return { name, label: LABELS[name], state, note: noteOf(name, facts) };
  });
}

export function currentStep({ answered, described, latest }: ProjectFacts): StepName {
  if (latest?.status === "sealed") return latest.review === "approved" ? "deliver" : "review";
  if (latest && !isFinal(latest.status)) return "build";
  if (described) return "build";
  return answered ? "contracts" : "describe";
}

function noteOf(name: StepName, { answered, described, latest }: ProjectFacts): string {
  switch (name) {
    case "describe":
      return answered || described ? "Described" : "Not described";
    case "contracts":
      return described ? "Written" : "Not written";
    case "build":
      if (!latest) return "Not started";
      return latest.status === "sealed"
        ? "Sealed"
        : `${latest.phases_done} of ${latest.phase_count} phases`;
    case "review":
      if (latest?.review === "changes_requested") return "Changes requested";
      if (latest?.review === "approved") return "Approved";
      return latest?.status === "sealed" ? "Waiting" : "After build";
    case "deliver":
      return latest?.review === "approved" ? "Ready to merge" : "After review";
  }
}
