// What each of the nine contracts is called and says.
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

export const contractName = (type: string) => CONTRACTS[type]?.name ?? type;

/** Which text of a contract was read: a version of the project's own, or the example. */
export const contractEdition = ({ version, source }: { version?: number; source?: string }) =>
  source === "template" ? "example" : `v${version ?? "?"}`;
