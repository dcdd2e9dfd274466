import type { BuildEstimate } from "@/lib/api";
import { formatCompact, formatUsd, plural } from "@/lib/format";

/** `24K to 156K tokens, $0.05 to $0.60`; without dollars if the price is unknown. */
export function estimateRange({ tokens, usd_micros }: BuildEstimate): string {
  const counts = `${formatCompact(tokens.low)} to ${formatCompact(tokens.high)} tokens`;
  if (!usd_micros || usd_micros.high === 0) return counts;
  return `${counts}, ${formatUsd(usd_micros.low)} to ${formatUsd(usd_micros.high)}`;
}

export function estimateBasis({
  basis,
  earlier_builds,
  phases,
  contract_tokens,
}: BuildEstimate): string {
  return basis === "earlier_builds"
    ? `based on ${plural(earlier_builds, "earlier sealed build")} of this project`
    : `based on ${plural(phases, "phase")} and ${formatCompact(contract_tokens)} tokens of contracts`;
}
