import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Bars } from "@/components/bars";
import { Disclosure } from "@/components/disclosure";
import { QueryView } from "@/components/query-view";
import { contractName } from "@/domain/contract-names";
import type { Generation } from "@/lib/api";
import { formatCompact, formatCount, formatDate, plural } from "@/lib/format";
import type { Tone } from "@/lib/tone";
import { useGenerations } from "./api";
import { modelLabel } from "./generation-labels";
import { shareLabel, totalLabel } from "./token-labels";
import { TokenTable } from "./token-table";

const SERIES: { key: string; label: string; tone: Tone }[] = [
  { key: "sent", label: "Sent", tone: "accent" },
  { key: "pasted", label: "Full inclusion", tone: "neutral" },
];

/** Tokens sent per contract, compared with including everything. */
export default function TokenChart({ projectId }: { projectId: string }) {
  const query = useGenerations(projectId);
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <QueryView query={query} what="usage">
      {(generations) => {
        const shown = generations.find(({ id }) => id === chosen) ?? generations[0];
        if (!shown) return <Text fz="sm">No contracts have been generated yet.</Text>;
        return (
          <Stack gap={20} maw="46rem">
            {generations.length > 1 && (
              <NativeSelect
                label="Generation"
                size="xs"
                maw="26rem"
                value={shown.id}
                data={generations.map((each) => ({ value: each.id, label: nameOf(each) }))}
                onChange={(event) => setChosen(event.currentTarget.value)}
              />
            )}
            <Tokens generation={shown} />
          </Stack>
        );
      }}
    </QueryView>
  );
}

function nameOf(generation: Generation): string {
  const { created_at, contracts } = generation;
  const what = plural(contracts.length, "contract");
  return [formatDate(created_at), what, modelLabel(generation)].filter(Boolean).join(" · ");
}

export function Tokens({ generation }: { generation: Generation }) {
  const counted = generation.contracts.filter(({ pasted_tokens }) => pasted_tokens > 0);
  if (counted.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        {modelLabel(generation) === "offline draft"
          ? "Drafts are created without a model. No tokens were sent."
          : "No tokens sent yet."}
      </Text>
    );
  }
  return (
    <>
      <Text fz="sm" fw={550}>
        {totalLabel(generation)}
      </Text>
      <Bars
        grouped
        caption="Tokens by contract"
        of="Contract"
        series={SERIES}
        rows={counted.map((each) => ({
          key: each.type,
          label: contractName(each.type),
          values: { sent: each.sent_tokens, pasted: each.pasted_tokens },
          total: `${formatCompact(each.sent_tokens)} of ${formatCompact(each.pasted_tokens)} · ${shareLabel(each)}`,
        }))}
        format={formatCount}
      />
      <div>
        <Disclosure summary="Details">
          <TokenTable contracts={counted} />
        </Disclosure>
      </div>
      <Text fz="xs" c="dimmed">
        Sent: each contract has its own conversation, in which the model requests what it needs.
        Full inclusion: each conversation would contain all answers and the full text of all earlier
        contracts. Both are estimates; the provider's counts are in the table.
      </Text>
    </>
  );
}
