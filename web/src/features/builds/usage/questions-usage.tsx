import { Text } from "@mantine/core";
import { type Fact, Facts } from "@/components/facts";
import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, formatUsd } from "@/lib/format";

export function QuestionsUsage({ usage }: { usage: NonNullable<BuildUsage["questions"]> }) {
  const sent = usage.tokens_in + usage.cache_read + usage.cache_write;
  const cost = usage.cost_usd_micros;
  const facts: Fact[] = [
    ["Questions", formatCount(usage.question_count)],
    ["Tokens sent", formatCompact(sent)],
    ["Tokens received", formatCompact(usage.tokens_out)],
    ["Cost", cost === null ? "Price unknown" : formatUsd(cost)],
  ];
  return (
    <>
      <Facts facts={facts} />
      <Text fz="xs" c="dimmed" mt={6}>
        Not part of the build: its limits and total do not include questions.
      </Text>
    </>
  );
}
