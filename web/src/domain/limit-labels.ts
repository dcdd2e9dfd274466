import type { Schemas } from "@/lib/api";

/** Limits of builds in running text. */
export const LIMIT_LABELS: Record<Schemas["LimitName"], string> = {
  iterations: "rounds per phase",
  minutes: "working time",
  tokens: "tokens",
  usd: "cost",
  clarifications: "questions",
  permission_prompts: "permission prompts",
};
