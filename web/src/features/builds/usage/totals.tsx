import { type Fact, Facts } from "@/components/facts";
import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, formatUsd } from "@/lib/format";

export function Totals({ total }: { total: BuildUsage["total"] }) {
  const cached = total.cache_read + total.cache_write > 0;
  const cache: Fact[] = [
    ["Read from cache", formatCompact(total.cache_read)],
    ["Written to cache", formatCompact(total.cache_write)],
  ];
  const facts: Fact[] = [
    ["Replies", formatCount(total.turns)],
    ["Conversations", formatCount(total.runs)],
    ["Tokens sent", formatCompact(total.tokens_in)],
    ...(cached ? cache : []),
    ["Tokens received", formatCompact(total.tokens_out)],
    ["Cost", formatUsd(total.cost_usd_micros)],
  ];
  return <Facts facts={facts} size="lg" />;
}
