import { Text } from "@mantine/core";
import { Bars } from "@/components/bars";
import type { BuildUsage } from "@/lib/api";
import { formatCompact, formatCount, plural } from "@/lib/format";
import { comparison } from "./comparison";
import classes from "./usage.module.css";

type ContractTokens = BuildUsage["delivery"]["sent"];

/** What agents read of the contracts, beside all contracts in every conversation. */
export function Delivery({ delivery }: { delivery: BuildUsage["delivery"] }) {
  const { pinned, pinned_tokens, once, sent } = delivery;
  return (
    <div className={classes.delivery}>
      <Compare title="Sent with all replies" tokens={sent} />
      <Compare title="Put into conversations, once each" tokens={once} />
      <Text fz="xs" c="dimmed">
        Pushed means: {plural(pinned, "pinned contract")} of {formatCount(pinned_tokens)} tokens
        together would stand in every conversation from its first message on. A model is sent its
        whole conversation again with every reply, so a text counts with each reply that follows it.
        Tokens of contracts are estimated, one for every four characters, and a part of a contract
        counts as all of it.
      </Text>
    </div>
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
        caption={`Tokens of contracts: ${title}`}
        of="Way"
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
            label: "Pushed",
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
