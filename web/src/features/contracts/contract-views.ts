// In which ways a contract can be looked at.
import type { Contract, ContractType } from "@/lib/api";
import type { ContractView } from "@/lib/paths";
import { readEntities } from "./entities";

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

/** The first is what a reader sees without asking. */
export function viewsOf({
  format,
  type,
  content,
}: Pick<Contract, "format" | "type" | "content">): ViewChoice[] {
  // A schema is free in its form: where nothing is recognised, there is no picture of it.
  const hasPicture = type !== "schema" || readEntities(content).length > 0;
  const picture = hasPicture ? PICTURES[type] : undefined;
  return [
    ...(format === "markdown" ? [{ view: "document" as const, label: "Document" }] : []),
    ...(picture ? [{ view: "picture" as const, label: picture }] : []),
    { view: "text", label: "Text" },
    { view: "history", label: "History" },
  ];
}

/** The view that an address asks for, where this contract has it. */
export function viewAsked(views: ViewChoice[], asked: string | null): ContractView {
  const found = views.find(({ view }) => view === asked) ?? views[0];
  return found?.view ?? "text";
}
