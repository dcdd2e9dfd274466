import type { ContractType } from "@/lib/api";
import { plural } from "@/lib/format";
import { useFindings } from "../api";
import classes from "../contracts.module.css";
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
    <details className={classes.findings}>
      <summary>{plural(findings.length, "finding")} for this contract</summary>
      <FindingList projectId={projectId} findings={findings} />
    </details>
  );
}
