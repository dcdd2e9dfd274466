import { Box, Card } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import type { ContractType } from "@/lib/api";
import { plural } from "@/lib/format";
import { useFindings } from "../api";
import { FindingList } from "./finding-list";
import { findingsAbout } from "./findings-by-contract";

interface ContractFindingsProps {
  projectId: string;
  type: ContractType;
}

/** The findings about a contract, collapsed by default. */
export function ContractFindings({ projectId, type }: ContractFindingsProps) {
  const findings = findingsAbout(useFindings(projectId).data ?? [], type);
  if (findings.length === 0) return null;
  return (
    <Card p="sm" mb="md">
      <Disclosure summary={`${plural(findings.length, "finding")} for this contract`}>
        <Box mt="xs">
          <FindingList projectId={projectId} findings={findings} />
        </Box>
      </Disclosure>
    </Card>
  );
}
