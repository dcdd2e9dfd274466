import type { ContractType } from "@/lib/api";
import { plural } from "@/lib/format";
import { useFindings } from "./api";
import classes from "./contracts.module.css";
import { FindingList } from "./finding-list";
import { findingsAbout } from "./findings-by-contract";

interface ContractFindingsProps {
  projectId: string;
  type: ContractType;
}

/** What was found about one contract, folded away until somebody asks. */
export function ContractFindings({ projectId, type }: ContractFindingsProps) {
  const findings = findingsAbout(useFindings(projectId).data ?? [], type);
  if (findings.length === 0) return null;
  return (
    <details className={classes.findings}>
      <summary>{plural(findings.length, "finding")} about this contract</summary>
      <FindingList projectId={projectId} findings={findings} />
    </details>
  );
}
