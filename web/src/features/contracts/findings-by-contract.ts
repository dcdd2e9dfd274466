// What was found, by the contract in which it begins, in the order of the nine.
import type { ContractFinding, ContractType } from "@/lib/api";
import { CONTRACT_TYPES } from "@/lib/contract-names";

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

/** What a contract has to do with: it begins there, or the other side is there. */
export const findingsAbout = (findings: ContractFinding[], type: ContractType) =>
  findings.filter(({ at, see }) => at.contract === type || see?.contract === type);
