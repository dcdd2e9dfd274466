import { Bars } from "@/components/bars";
import { roleName } from "@/domain/role-names";
import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, formatUsd, plural } from "@/lib/format";
import type { Tone } from "@/lib/tone";

const SERIES: { key: string; label: string; tone: Tone }[] = [
  { key: "in", label: "Sent", tone: "accent" },
  { key: "written", label: "Written to cache", tone: "waiting" },
  { key: "cached", label: "Read from cache", tone: "info" },
  { key: "out", label: "Received", tone: "good" },
];

/** Tokens by role and model. */
export function ModelBars({ models }: { models: BuildUsage["models"] }) {
  const rows = models.map((used) => {
    const sent = used.tokens_in + used.cache_read + used.cache_write;
    return {
      key: `${used.role} ${used.model}`,
      label: roleName(used.role),
      detail: `${used.model}, ${plural(used.turns, "reply", "replies")}`,
      values: {
        in: used.tokens_in,
        written: used.cache_write,
        cached: used.cache_read,
        out: used.tokens_out,
      },
      total: `${formatCompact(sent)} in · ${formatCompact(used.tokens_out)} out · ${formatUsd(used.cost_usd_micros)}`,
    };
  });
  return (
    <Bars
      caption="Tokens by role and model"
      of="Role and model"
      series={SERIES}
      rows={rows}
      format={formatCount}
    />
  );
}
