import { Group, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import { LimitedList } from "@/components/limited-list";
import {
  type RequirementState,
  STATES,
  stateOf,
} from "@/components/requirements/requirement-labels";
import { SectionCard } from "@/components/section-card";
import { ToneBadge } from "@/components/tone-badge";
import type { Schemas } from "@/lib/api";
import { plural } from "@/lib/format";
import type { BuildComparison } from "./api";

type Compared = Schemas["ComparedRequirement"];

const isChanged = ({ from, to }: Compared) => from !== to;

/** The requirements whose states differ. */
export function ComparedRequirements({
  comparison: { from, to, requirements },
}: {
  comparison: BuildComparison;
}) {
  const changed = requirements.filter(isChanged);
  const equal = requirements.length - changed.length;
  return (
    <SectionCard title="Requirements" description={summary(requirements.length, equal)}>
      {changed.length > 0 && (
        <LimitedList items={changed}>
          {(shown) => (
            <ul className="plain-list lined" aria-label="Requirements that changed">
              {shown.map((one) => (
                <Group component="li" key={one.id} gap="xs" py={8} justify="space-between">
                  <Text fz="sm" flex="1 1 16rem" miw={0}>
                    <Text span inherit fw={600} ff="monospace">
                      {one.id}
                    </Text>{" "}
                    <InlineCode text={one.text} />
                  </Text>
                  <Group gap={6} wrap="nowrap">
                    <State standing={one.from} of={from.number} />
                    <IconArrowRight size={14} role="img" aria-label="then" />
                    <State standing={one.to} of={to.number} />
                  </Group>
                </Group>
              ))}
            </ul>
          )}
        </LimitedList>
      )}
    </SectionCard>
  );
}

function summary(all: number, equal: number): string {
  if (all === 0) return "Neither build has requirements with ids.";
  if (equal === all)
    return `The state of ${plural(all, "requirement")} is the same in both builds.`;
  const rest = equal > 0 ? ` ${plural(equal, "other")} did not change.` : "";
  return `${plural(all - equal, "requirement")} changed.${rest}`;
}

function State({ standing, of }: { standing: Compared["from"]; of: number }) {
  if (standing === null) return <ToneBadge tone="neutral">Not in #{of}</ToneBadge>;
  const state: RequirementState = stateOf(standing);
  const { label, tone } = STATES[state];
  return <ToneBadge tone={tone}>{label}</ToneBadge>;
}
