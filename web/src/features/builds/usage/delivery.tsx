import { Stack, Text } from "@mantine/core";
import { Bars } from "@/components/bars";
import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, plural } from "@/lib/format";
import { comparison } from "./comparison";

type ContractTokens = BuildUsage["delivery"]["sent"];

/** Tokens of contracts that agents read, compared with including all contracts in every conversation. */
export function Delivery({ delivery }: { delivery: BuildUsage["delivery"] }) {
  const { pinned, pinned_tokens, once, sent } = delivery;
  return (
    <Stack gap={20}>
      <Compare title="Sent in all requests" tokens={sent} />
      <Compare title="Added to conversations" tokens={once} />
      <Text fz="xs" c="dimmed">
        Full inclusion means that all {plural(pinned, "pinned contract")} of{" "}
        {formatCount(pinned_tokens)} tokens would be in every conversation from its first message.
        Models receive the whole conversation with each request, so a text counts for each request
        that follows it. Contract tokens are estimated at four characters per token; a part of a
        contract counts as the whole contract.
      </Text>
    </Stack>
  );
}

function Compare({ title, tokens }: { title: string; tokens: ContractTokens }) {
  const { on_demand, pushed } = tokens;
  return (
    <div>
      <Text fz="sm" mb="xs">
        <b>{title}:</b> {comparison(tokens)}
      </Text>
      <Bars
        caption={`Contract tokens: ${title}`}
        of="Method"
        series={[{ key: "tokens", label: "Tokens", tone: "accent" }]}
        rows={[
          {
            key: "on_demand",
            label: "Read on demand",
            values: { tokens: on_demand },
            total: formatCompact(on_demand),
          },
          {
            key: "pushed",
            label: "Full inclusion",
            tone: "neutral",
            values: { tokens: pushed },
            total: formatCompact(pushed),
          },
        ]}
        format={formatCount}
      />
    </div>
  );
}
