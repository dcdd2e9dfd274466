import type { BudgetLimits } from "@/lib/api";

/** A level without limits of its own. */
export const INHERITED_LIMITS: BudgetLimits = {
  iterations: null,
  minutes: null,
  tokens: null,
  usd_micros: null,
  clarifications: null,
};
