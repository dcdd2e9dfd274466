// The views of a contract.
import type { Contract, ContractType } from "@/lib/api";
import type { ContractView } from "@/lib/paths";
import { readEntities } from "./diagrams/entities";

export interface ViewChoice {
  view: ContractView;
  label: string;
}

const PICTURES: Partial<Record<ContractType, string>> = {
  schema: "Diagram",
  physics: "Endpoints",
  boundaries: "Layers",
  phases: "Timeline",
};

/** The first is the default. */
export function viewsOf({
  format,
  type,
  content,
}: Pick<Contract, "format" | "type" | "content">): ViewChoice[] {
  // A schema has no fixed format: without recognizable entities there is no diagram.
  const hasPicture = type !== "schema" || readEntities(content).length > 0;
  const picture = hasPicture ? PICTURES[type] : undefined;
  return [
    ...(format === "markdown" ? [{ view: "document" as const, label: "Document" }] : []),
    ...(picture ? [{ view: "picture" as const, label: picture }] : []),
    { view: "text", label: "Text" },
    { view: "history", label: "History" },
  ];
}

/** The view in the address, if the contract has it. */
export function requestedView(views: ViewChoice[], asked: string | null): ContractView {
  const found = views.find(({ view }) => view === asked) ?? views[0];
  return found?.view ?? "text";
}
