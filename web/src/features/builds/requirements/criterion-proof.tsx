import { Text } from "@mantine/core";
import { ProofRow } from "@/components/evidence/clause-row";
import { proofLabel } from "@/components/requirements/requirement-labels";
import type { MatrixRow } from "./api";

/** An exit criterion with its proof. */
export function CriterionProof({ criterion }: { criterion: MatrixRow["criteria"][number] }) {
  const { phase, proof, is_judged } = criterion;
  return (
    <ProofRow proof={proof}>
      <Text fz="sm" c="dimmed">
        {proofLabel(criterion.criterion.proof)} in phase {phase}
        {is_judged && proof.standing !== "holds" && " · The auditor judged that it holds"}
      </Text>
    </ProofRow>
  );
}
