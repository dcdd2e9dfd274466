// Groups findings by contract, in the order of the contracts.

import { CONTRACT_TYPES, isWritten } from "@/domain/contract-names";
import type { ContractFinding, ContractSummary, ContractType } from "@/lib/api";

export interface FoundIn {
  type: ContractType;
  findings: ContractFinding[];
}

export const findingsByContract = (findings: ContractFinding[]): FoundIn[] =>
  CONTRACT_TYPES.map((type) => ({
    type,
    findings: findings
      .filter(({ at }) => at.contract === type)
      .sort((one, other) => one.at.line - other.at.line),
  })).filter(({ findings }) => findings.length > 0);

export const findingCounts = (findings: ContractFinding[]): Map<ContractType, number> =>
  new Map(findingsByContract(findings).map(({ type, findings }) => [type, findings.length]));

/** Findings in which the contract is one of the two sides. */
export const findingsAbout = (findings: ContractFinding[], type: ContractType) =>
  findings.filter(({ at, see }) => at.contract === type || see?.contract === type);

/** Findings about the project's own contracts only, not about examples. */
export function findingsOfWritten(
  findings: ContractFinding[],
  contracts: ContractSummary[],
): ContractFinding[] {
  const written = new Set(contracts.filter(isWritten).map(({ type }) => type));
  return findings.filter(
    ({ at, see }) => written.has(at.contract) && (see === null || written.has(see.contract)),
  );
}
