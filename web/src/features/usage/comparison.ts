// How two ways of giving contracts to agents compare, in a few words.
import type { BuildUsage } from "@/lib/api";

export function comparison({ on_demand, pushed }: BuildUsage["delivery"]["sent"]): string {
  if (pushed === 0) return "there is nothing to push";
  const share = on_demand / pushed;
  if (share > 1) return "more than a push would have taken";
  if (on_demand === 0) return "nothing, where a push would have taken all of it";
  if (share < 0.01) return "less than 1% of a push";
  return `${Math.round(100 * share)}% of a push`;
}
