// Names and descriptions of the nine contracts.
import type { ContractType } from "@/lib/api";
import { isKeyOf, keysOf } from "@/lib/keys-of";

export const CONTRACTS: Record<ContractType, { name: string; about: string }> = {
  manifesto: { name: "Manifesto", about: "Principles that guide every decision" },
  blueprint: { name: "Blueprint", about: "What the product does and for whom" },
  stack: { name: "Stack", about: "Languages, frameworks, versions" },
  schema: { name: "Schema", about: "Entities, fields and relations" },
  physics: { name: "Physics", about: "API endpoints" },
  boundaries: { name: "Boundaries", about: "Layers and import rules" },
  ui: { name: "UI", about: "Screens and their behavior" },
  phases: { name: "Phases", about: "Phases of the implementation" },
  builder_directive: { name: "Builder directive", about: "Additional instructions for agents" },
};

/** In the order in which they are generated. */
export const CONTRACT_TYPES = keysOf(CONTRACTS);

export const isContract = (type: string): type is ContractType => isKeyOf(CONTRACTS, type);

export const contractName = (type: string) => (isContract(type) ? CONTRACTS[type].name : type);

/** A contract of the source `template` is an example, the same for every project. */
export const isWritten = ({ source }: { source?: string }) => source !== "template";

/** The version of a contract that was read, or `example`. */
export const contractEdition = ({ version, source }: { version?: number; source?: string }) =>
  source === "template" ? "example" : `v${version ?? "?"}`;

/** The file name for export and import. */
export const contractFile = (type: string) =>
  `${type}.${type === "physics" ? "yaml" : type === "boundaries" ? "json" : "md"}`;
