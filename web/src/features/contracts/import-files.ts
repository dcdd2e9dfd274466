// Which chosen file is which contract.
import type { ContractType } from "@/lib/api";
import { CONTRACT_TYPES, contractFile } from "@/lib/contract-names";

export interface ImportFiles {
  /** In the order of the nine. */
  found: { type: ContractType; file: File }[];
  /** Files that no contract is named like, or of which there is another. */
  leftOut: { name: string; reason: string }[];
}

export function importFiles(files: File[]): ImportFiles {
  const byType = new Map<ContractType, File>();
  const leftOut: ImportFiles["leftOut"] = [];
  for (const file of files) {
    const type = typeOf(file.name);
    if (!type) {
      leftOut.push({ name: file.name, reason: "no contract has this name" });
    } else if (byType.has(type)) {
      leftOut.push({ name: file.name, reason: "another file stands for the same contract" });
    } else {
      byType.set(type, file);
    }
  }
  const found = CONTRACT_TYPES.flatMap((type) => {
    const file = byType.get(type);
    return file ? [{ type, file }] : [];
  });
  return { found, leftOut };
}

function typeOf(name: string): ContractType | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll("-", "_")
    .replace(/\.yml$/, ".yaml");
  return CONTRACT_TYPES.find((type) => contractFile(type) === plain);
}
