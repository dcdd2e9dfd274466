import { NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { Bars } from "@/components/bars";
import { QueryView } from "@/components/query-view";
import type { Generation } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { formatCompact, formatCount, formatDate, plural } from "@/lib/format";
import type { Tone } from "@/lib/tone";
import { useGenerations } from "./api";
import classes from "./generation.module.css";
import { modelWords } from "./generation-words";
import { TokenTable } from "./token-table";
import { shareWords, totalWords } from "./token-words";

const SERIES: { key: string; label: string; tone: Tone }[] = [
  { key: "sent", label: "Sent", tone: "accent" },
  { key: "pasted", label: "Pasting everything", tone: "neutral" },
];

/** Contract by contract: what was sent, beside what pasting everything would have sent. */
export default function TokenChart({ projectId }: { projectId: string }) {
  const query = useGenerations(projectId);
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <QueryView query={query} what="what was used">
      {(generations) => {
        const shown = generations.find(({ id }) => id === chosen) ?? generations[0];
        if (!shown) return <Text fz="sm">Nothing was written yet.</Text>;
        return (
          <div className={classes.chart}>
            {generations.length > 1 && (
              <NativeSelect
                label="Run"
                size="xs"
                maw="26rem"
                value={shown.id}
                data={generations.map((each) => ({ value: each.id, label: nameOf(each) }))}
                onChange={(event) => setChosen(event.currentTarget.value)}
              />
            )}
            <Tokens generation={shown} />
          </div>
        );
      }}
    </QueryView>
  );
}

function nameOf(generation: Generation): string {
  const { created_at, contracts } = generation;
  const what = plural(contracts.length, "contract");
  return [formatDate(created_at), what, modelWords(generation)].filter(Boolean).join(" · ");
}

export function Tokens({ generation }: { generation: Generation }) {
  const counted = generation.contracts.filter(({ pasted_tokens }) => pasted_tokens > 0);
  if (counted.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        {modelWords(generation) === "offline draft"
          ? "Drafts are made without a model: nothing was sent."
          : "Nothing was sent to a model yet."}
      </Text>
    );
  }
  return (
    <>
      <Text fz="sm" fw={550}>
        {totalWords(generation)}
      </Text>
      <Bars
        apart
        caption="Tokens of each contract"
        of="Contract"
        series={SERIES}
        rows={counted.map((each) => ({
          key: each.type,
          label: contractName(each.type),
          values: { sent: each.sent_tokens, pasted: each.pasted_tokens },
          total: `${formatCompact(each.sent_tokens)} of ${formatCompact(each.pasted_tokens)} · ${shareWords(each)}`,
        }))}
        format={formatCount}
      />
      <details className={classes.numbers}>
        <summary>All numbers</summary>
        <TokenTable contracts={counted} />
      </details>
      <Text fz="xs" c="dimmed">
        Sent means: each contract has a conversation of its own, in which the model asks for what it
        needs. Pasting everything means: all answers and the full text of every contract before it
        would stand in each conversation. Both are estimated in the same way; what the provider
        counted is in the table.
      </Text>
    </>
  );
}
