// What a build needs before it can start, by area, with a fix for what is missing.
import type { BuildReadiness } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";

export type ReadinessArea = "model" | "contracts" | "gates" | "budget" | "repository" | "builds";
type Kind = BuildReadiness["obstacles"][number]["kind"];

export interface ReadinessFix {
  label: string;
  /** Nothing to follow if someone else has to act. */
  to?: string;
}

export interface ReadinessProblem {
  kind: Kind;
  message: string;
  fix: ReadinessFix;
}

export interface ReadinessCheck {
  area: ReadinessArea;
  label: string;
  /** With a warning a build can start. */
  state: "ready" | "warning" | "missing";
  /** What is ready. */
  detail: string;
  problems: ReadinessProblem[];
}

const AREAS: Record<Kind, ReadinessArea> = {
  model: "model",
  executor: "model",
  budget: "budget",
  phases: "contracts",
  gaps: "contracts",
  requirements: "contracts",
  sandbox: "gates",
  gates: "gates",
  repository: "repository",
  other_builds: "builds",
};

export function readinessChecks(
  ready: BuildReadiness,
  projectId: string,
  isAdmin: boolean,
): ReadinessCheck[] {
  const details: Record<ReadinessArea, [string, string]> = {
    model: ["Model", ready.model ?? "Available"],
    contracts: ["Contracts", `${plural(ready.phases.length, "phase")}, without gaps`],
    gates: ["Gates", "Their programs are installed"],
    budget: ["Budget", ready.needs_limit ? "A limit is chosen at the start" : "Limits apply"],
    repository: ["Repository", "The baseline branch has a commit"],
    builds: ["Other builds", "None has to end first"],
  };
  const problem = ({ kind, message }: BuildReadiness["obstacles"][number]): ReadinessProblem => ({
    kind,
    message,
    fix: fixOf(kind, projectId, isAdmin),
  });
  return (Object.keys(details) as ReadinessArea[]).map((area) => {
    const [label, detail] = details[area];
    const isHere = ({ kind }: { kind: Kind }) => AREAS[kind] === area;
    const obstacles = ready.obstacles.filter(isHere);
    const problems = [...obstacles, ...ready.warnings.filter(isHere)].map(problem);
    const state = obstacles.length > 0 ? "missing" : problems.length > 0 ? "warning" : "ready";
    return { area, label, state, detail, problems };
  });
}

function fixOf(kind: Kind, projectId: string, isAdmin: boolean): ReadinessFix {
  switch (kind) {
    case "model":
      return isAdmin
        ? { label: "Set model and key", to: paths.installationSettings }
        : { label: "Ask an administrator to set a model and its key." };
    case "budget":
      return { label: "Change limits", to: paths.projectSettings(projectId) };
    case "phases":
      return { label: "Open phases contract", to: paths.contract(projectId, "phases") };
    case "gaps":
    case "requirements":
      return { label: "Review contracts", to: paths.contracts(projectId) };
    case "gates":
      return { label: "Change gates", to: paths.projectSettings(projectId) };
    case "executor":
      return { label: "Choose another coding agent", to: paths.projectSettings(projectId) };
    case "sandbox":
      return { label: "Ask the operator of this server to run forgeguard doctor." };
    case "repository":
      return {
        label: "Push a commit to the branch, or choose another branch in the start options.",
      };
    case "other_builds":
      return { label: "Open builds", to: paths.builds(projectId) };
  }
}
