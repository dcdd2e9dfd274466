import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { InlineCode } from "@/components/inline-code";
import { contractName } from "@/domain/contract-names";
import type { ContractFinding, ContractPlace } from "@/lib/api";
import { paths } from "@/lib/paths";
import { toneLine } from "@/lib/tone";

interface FindingListProps {
  projectId: string;
  findings: ContractFinding[];
}

/** Findings with links to both sides. */
export function FindingList({ projectId, findings }: FindingListProps) {
  return (
    <Stack component="ul" gap={14} className="plain-list">
      {findings.map((finding) => (
        <li
          key={`${finding.rule} ${finding.at.contract} ${finding.at.line} ${finding.text}`}
          style={{ paddingLeft: "0.75rem", borderLeft: `3px solid ${toneLine("waiting")}` }}
        >
          <Text fz="sm">
            <InlineCode text={finding.text} />
          </Text>
          <Group gap="0.25rem 1rem" mt={2}>
            <PlaceLink projectId={projectId} place={finding.at} />
            {finding.see && (
              <PlaceLink projectId={projectId} place={finding.see} before="Other side: " />
            )}
          </Group>
        </li>
      ))}
    </Stack>
  );
}

interface PlaceLinkProps {
  projectId: string;
  place: ContractPlace;
  before?: string;
}

function PlaceLink({ projectId, place, before = "" }: PlaceLinkProps) {
  return (
    <Anchor
      component={Link}
      fz="sm"
      py={2}
      underline="always"
      to={paths.contractLine(projectId, place.contract, place.line)}
    >
      {before}
      {contractName(place.contract)}, line {place.line}
    </Anchor>
  );
}
