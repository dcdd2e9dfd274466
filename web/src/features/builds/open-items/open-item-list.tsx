import { Box, Text } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { capitalized } from "@/lib/format";
import { type OpenCriterion, type OpenItems, useOpenItems } from "./api";
import { FindingRows } from "./finding-rows";
import { ItemRow } from "./item-row";
import { SettleButton } from "./settle-button";

/** What users can settle before the build is sealed. */
export function OpenItemList({ buildId }: { buildId: string }) {
  const query = useOpenItems(buildId);
  return (
    <QueryView query={query} what="open items">
      {(items) => <Items buildId={buildId} items={items} />}
    </QueryView>
  );
}

function Items({ buildId, items }: { buildId: string; items: OpenItems }) {
  const { criteria, weakened_tests, findings } = items;
  const head_sha = items.head_sha ?? "";
  if (criteria.length + weakened_tests.length + findings.length === 0) {
    return (
      <Text fz="sm" mt="xs" c="var(--mantine-color-text)">
        Everything is settled.
      </Text>
    );
  }
  return (
    <Box
      component="ul"
      className="plain-list lined scroll"
      mah="38vh"
      mt="xs"
      tabIndex={0}
      aria-label="Open items"
    >
      {criteria.map((criterion) => (
        <CriterionRow
          key={`${criterion.phase}.${criterion.index}`}
          buildId={buildId}
          criterion={criterion}
          headSha={head_sha}
        />
      ))}
      {weakened_tests.map(({ number, text }) => (
        <ItemRow key={number} source="Weakened test" text={text}>
          <SettleButton
            buildId={buildId}
            action="Accept"
            item={text}
            label="Why is it acceptable?"
            settlement={(reason) => ({ kind: "clear", number, head_sha, reason })}
          />
        </ItemRow>
      ))}
      <FindingRows buildId={buildId} findings={findings} />
    </Box>
  );
}

interface CriterionRowProps {
  buildId: string;
  criterion: OpenCriterion;
  headSha: string;
}

function CriterionRow({ buildId, criterion, headSha: head_sha }: CriterionRowProps) {
  const { phase, index, requirement, evidence, confirmation } = criterion;
  const text = [criterion.text, requirement].filter(Boolean).join(": ");
  const by = confirmation?.by.kind === "user" ? confirmation.by.name : "";
  const note = confirmation?.note ? `: ${confirmation.note}` : "";
  const judged = confirmation && `${capitalized(confirmation.result)} by ${by}${note}`;
  return (
    <ItemRow
      source={`Exit criterion ${index} of phase ${phase}`}
      text={text}
      detail={judged ?? (evidence && `Auditor: ${evidence}`)}
    >
      <SettleButton
        buildId={buildId}
        action="Confirm"
        item={text}
        label="How did you check it? (optional)"
        optional
        settlement={(note) => ({ kind: "confirm", phase, index, head_sha, note })}
      />
      <SettleButton
        buildId={buildId}
        action="Reject"
        item={text}
        label="Why is it rejected?"
        settlement={(note) => ({ kind: "reject", phase, index, head_sha, note })}
      />
    </ItemRow>
  );
}
