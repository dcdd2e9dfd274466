// What each of the nine contracts is called and says.
import type { ContractType } from "./api";

export const CONTRACTS: Record<string, { name: string; about: string }> = {
  manifesto: { name: "Manifesto", about: "Principles every decision answers to" },
  blueprint: { name: "Blueprint", about: "What the product does, and for whom" },
  stack: { name: "Stack", about: "Languages, frameworks, versions" },
  schema: { name: "Schema", about: "Entities and their fields" },
  physics: { name: "Physics", about: "The API, endpoint by endpoint" },
  boundaries: { name: "Boundaries", about: "Layers, and what may import what" },
  ui: { name: "UI", about: "Screens and how they behave" },
  phases: { name: "Phases", about: "The work, cut into phases" },
  builder_directive: { name: "Builder directive", about: "What the builder must know besides" },
};

/** In the order in which they are written. */
export const CONTRACT_TYPES = Object.keys(CONTRACTS) as ContractType[];

export const isContract = (type: string): type is ContractType => Object.hasOwn(CONTRACTS, type);

export const contractName = (type: string) => CONTRACTS[type]?.name ?? type;

/** Which text of a contract was read: a version of the project's own, or the example. */
export const contractEdition = ({ version, source }: { version?: number; source?: string }) =>
  source === "template" ? "example" : `v${version ?? "?"}`;

/** The file that a contract is exported as and imported from. */
export const contractFile = (type: string) =>
  `${type}.${type === "physics" ? "yaml" : type === "boundaries" ? "json" : "md"}`;
