import { Anchor, Stack } from "@mantine/core";
import { Link } from "react-router";
import { InlineCode } from "@/components/inline-code";
import { contractName } from "@/domain/contract-names";
import type { ContractFinding, ContractPlace } from "@/lib/api";
import { paths } from "@/lib/paths";
import classes from "./finding-list.module.css";

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
          className={classes.finding}
        >
          <InlineCode text={finding.text} />
          <div className={classes.links}>
            <PlaceLink projectId={projectId} place={finding.at} />
            {finding.see && (
              <PlaceLink projectId={projectId} place={finding.see} before="Other side: " />
            )}
          </div>
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
      underline="always"
      to={paths.contractLine(projectId, place.contract, place.line)}
    >
      {before}
      {contractName(place.contract)}, line {place.line}
    </Anchor>
  );
}
