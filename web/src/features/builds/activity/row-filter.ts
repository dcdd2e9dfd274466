import type { Role } from "@/domain/feed/event";
import type { Row, RowGroup } from "./row";
import { rowText } from "./row-text";

const GROUP_OF: Partial<Record<Row["kind"], RowGroup>> = {
  agent: "agents",
  turn: "agents",
  tool: "agents",
  question: "agents",
  answer: "agents",
  gate: "gates",
  seal: "gates",
  commit: "commits",
  error: "errors",
  resolved: "errors",
};

/** Null and "" match everything. */
export interface Filter {
  kind: RowGroup | null;
  role: Role | null;
  phase: string | null;
  /** In lower case. */
  text: string;
}

export const NO_FILTER: Filter = { kind: null, role: null, phase: null, text: "" };

export const isFiltered = ({ kind, role, phase, text }: Filter) =>
  kind !== null || role !== null || phase !== null || text !== "";

export const matches = (row: Row, { kind, role, phase, text }: Filter) =>
  (kind === null || belongsTo(row, kind)) &&
  (role === null || row.role === role) &&
  (phase === null || row.phase === phase) &&
  (text === "" || textOf(row).includes(text.replace(/\s+/g, " ")));

export function belongsTo(row: Row, group: RowGroup): boolean {
  if (row.kind === "note") return row.group === group;
  if (group === "errors" && row.kind === "gate")
    return row.finished !== null && !row.finished.passed;
  return GROUP_OF[row.kind] === group;
}

const texts = new WeakMap<Row, string>();

/** The displayed text of the row, cached. */
function textOf(row: Row): string {
  let text = texts.get(row);
  if (text === undefined) {
    try {
      text = rowText(row);
    } catch {
      // A row of an unknown form displays no text.
      text = "";
    }
    texts.set(row, text);
  }
  return text;
}
