import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, formatUsd } from "@/lib/format";
import classes from "./usage.module.css";

export function Totals({ total }: { total: BuildUsage["total"] }) {
  const cached = total.cache_read + total.cache_write > 0;
  const cache = [
    ["Read from cache", formatCompact(total.cache_read)],
    ["Written to cache", formatCompact(total.cache_write)],
  ];
  const facts = [
    ["Replies", formatCount(total.turns)],
    ["Conversations", formatCount(total.runs)],
    ["Tokens sent", formatCompact(total.tokens_in)],
    ...(cached ? cache : []),
    ["Tokens received", formatCompact(total.tokens_out)],
    ["Cost", formatUsd(total.cost_usd_micros)],
  ];
  return (
    <dl className={classes.totals}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
