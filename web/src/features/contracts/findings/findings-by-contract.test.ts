import { expect, it } from "vitest";
import type { ContractFinding, ContractSummary, ContractType } from "@/lib/api";
import {
  findingCounts,
  findingsAbout,
  findingsByContract,
  findingsOfWritten,
} from "./findings-by-contract";

const finding = (contract: ContractType, line: number, see?: ContractType): ContractFinding => ({
  rule: "no_placeholder",
  at: { contract, line },
  see: see ? { contract: see, line: 1 } : null,
  text: `${contract} ${line}`,
});

const FOUND = [finding("ui", 9, "physics"), finding("ui", 2), finding("physics", 4, "schema")];

it("groups findings in the order of contracts and lines", () => {
  const groups = findingsByContract(FOUND).map(({ type, findings }) => [
    type,
    findings.map(({ at }) => at.line),
  ]);
  expect(groups).toEqual([
    ["physics", [4]],
    ["ui", [2, 9]],
  ]);
  expect(findingCounts(FOUND)).toEqual(
    new Map([
      ["physics", 1],
      ["ui", 2],
    ]),
  );
});

it("includes a finding on both of its sides", () => {
  expect(findingsAbout(FOUND, "physics").map(({ text }) => text)).toEqual(["ui 9", "physics 4"]);
  expect(findingsAbout(FOUND, "schema")).toHaveLength(1);
  expect(findingsAbout(FOUND, "manifesto")).toEqual([]);
});

it("excludes findings about example contracts", () => {
  const contract = (type: ContractType, source: string) => ({ type, source }) as ContractSummary;
  const contracts = [contract("ui", "project"), contract("physics", "template")];
  expect(findingsOfWritten(FOUND, contracts).map(({ text }) => text)).toEqual(["ui 2"]);
  expect(findingsOfWritten(FOUND, [])).toEqual([]);
});
