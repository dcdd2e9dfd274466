import { Box, Title } from "@mantine/core";
import { Bars } from "@/components/bars";
import { formatCompact, formatUsd } from "@/lib/format";
import { useUsage } from "../usage/api";

/** The cost of each phase; tokens where the model is free. */
export function PhaseCosts({ buildId }: { buildId: string }) {
  const usage = useUsage(buildId).data;
  if (!usage || usage.phases.length < 2) return null;
  const isPaid = usage.total.cost_usd_micros > 0;
  return (
    <section aria-labelledby="seal-costs">
      <Title order={3} id="seal-costs">
        {isPaid ? "Cost by phase" : "Tokens by phase"}
      </Title>
      <Box mt={8}>
        <Bars
          caption={isPaid ? "Cost by phase" : "Tokens by phase"}
          of="Phase"
          series={[{ key: "used", label: isPaid ? "Cost" : "Tokens", tone: "accent" }]}
          rows={usage.phases.map(({ phase, title, tokens_in, tokens_out, cost_usd_micros }) => {
            const tokens = tokens_in + tokens_out;
            return {
              key: String(phase),
              label: title,
              values: { used: isPaid ? cost_usd_micros : tokens },
              total: isPaid
                ? `${formatUsd(cost_usd_micros)} · ${formatCompact(tokens)} tokens`
                : `${formatCompact(tokens)} tokens`,
            };
          })}
          format={isPaid ? formatUsd : formatCompact}
        />
      </Box>
    </section>
  );
}
