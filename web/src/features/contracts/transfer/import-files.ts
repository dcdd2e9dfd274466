// Assigns selected files to contracts by name.

import { CONTRACT_TYPES, contractFile } from "@/domain/contract-names";
import type { ContractType } from "@/lib/api";

export interface ImportFiles {
  /** In the order of the contracts. */
  found: { type: ContractType; file: File }[];
  /** Files with an unknown or duplicate name. */
  leftOut: { name: string; reason: string }[];
}

export function importFiles(files: File[]): ImportFiles {
  const byType = new Map<ContractType, File>();
  const leftOut: ImportFiles["leftOut"] = [];
  for (const file of files) {
    const type = typeOf(file.name);
    if (!type) {
      leftOut.push({ name: file.name, reason: "unknown contract name" });
    } else if (byType.has(type)) {
      leftOut.push({ name: file.name, reason: "duplicate contract" });
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
