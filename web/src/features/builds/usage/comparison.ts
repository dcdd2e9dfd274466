// Compares two ways of giving contracts to agents.
import type { BuildUsage } from "@/lib/api";

export function comparison({ on_demand, pushed }: BuildUsage["delivery"]["sent"]): string {
  if (pushed === 0) return "no contracts";
  const share = on_demand / pushed;
  if (share > 1) return "more than full inclusion";
  if (on_demand === 0) return "none of full inclusion";
  if (share < 0.01) return "less than 1% of full inclusion";
  return `${Math.round(100 * share)}% of full inclusion`;
}
