import type { BudgetLimits } from "@/lib/api";

/** A level without limits of its own. */
export const INHERITED_LIMITS: BudgetLimits = {
  iterations: null,
  minutes: null,
  tokens: null,
  usd_micros: null,
  clarifications: null,
  permission_prompts: null,
};

export type LimitName = keyof BudgetLimits;

/** The limits that are set at each level above; the lowest one applies. */
export interface LimitLevels {
  installation?: BudgetLimits;
  project?: BudgetLimits;
}

/** Where an inherited limit comes from. */
export function limitSource(name: LimitName, { installation, project }: LimitLevels): string {
  const upper = installation?.[name] ?? null;
  const lower = project?.[name] ?? null;
  const isLower = typeof lower === "number" && (typeof upper !== "number" || lower <= upper);
  if (isLower || (lower !== null && typeof upper !== "number")) return "Project";
  return upper === null ? "Default" : "Installation";
}
