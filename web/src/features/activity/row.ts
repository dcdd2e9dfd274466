// What the activity list shows: one row for what a reader takes as one thing that happened.
import type { Payload, Role } from "@/lib/feed/event";

interface RowBase {
  key: string;
  seq: number;
  at: string;
  /** The phase it belongs to, as far as the page knows. */
  phase: string | null;
  /** Whose doing it is, where an agent did it. */
  role: Role | null;
}

export type NoteTone = "neutral" | "good" | "waiting" | "bad" | "accent";
export type NoteIcon =
  | "start"
  | "pause"
  | "play"
  | "stop"
  | "blocked"
  | "message"
  | "plan"
  | "task"
  | "file"
  | "push"
  | "retry"
  | "fix"
  | "check"
  | "log"
  | "dot";

export type Row = RowBase &
  (
    | { kind: "phase"; number: string; title: string }
    | { kind: "phase-complete"; number: string; deliverables: string[] }
    | { kind: "agent"; task: string; model: string }
    | { kind: "turn"; payload: Payload }
    | {
        kind: "tool";
        started: Payload | null;
        finished: Payload | null;
        /** The file that the call changed. */
        change: Payload | null;
        /** The contract that the call read. */
        read: Payload | null;
      }
    | { kind: "gate"; started: Payload; finished: Payload | null }
    | { kind: "commit"; payload: Payload; pushed: boolean }
    | { kind: "question"; payload: Payload }
    | { kind: "answer"; payload: Payload }
    | { kind: "error"; payload: Payload }
    | { kind: "resolved"; payload: Payload }
    | { kind: "seal"; payload: Payload }
    | {
        kind: "note";
        icon: NoteIcon;
        tone: NoteTone;
        text: string;
        detail?: string;
        group?: RowFilter;
      }
  );

export type RowFilter = "agents" | "gates" | "commits" | "errors";

const FILTER_OF: Partial<Record<Row["kind"], RowFilter>> = {
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

/** What somebody wants to see of the activity; null and "" are everything. */
export interface Narrowing {
  kind: RowFilter | null;
  role: Role | null;
  phase: string | null;
  /** In lower case. */
  words: string;
}

export const ALL: Narrowing = { kind: null, role: null, phase: null, words: "" };

export const isNarrowed = ({ kind, role, phase, words }: Narrowing) =>
  kind !== null || role !== null || phase !== null || words !== "";

export const fits = (row: Row, { kind, role, phase, words }: Narrowing) =>
  (kind === null || belongsTo(row, kind)) &&
  (role === null || row.role === role) &&
  (phase === null || row.phase === phase) &&
  (words === "" || wordsOf(row).includes(words));

export function belongsTo(row: Row, filter: RowFilter): boolean {
  if (row.kind === "note") return row.group === filter;
  if (filter === "errors" && row.kind === "gate") return row.finished?.passed === false;
  return FILTER_OF[row.kind] === filter;
}

const searchable = new WeakMap<Row, string>();

/** All words of a row, in lower case, made once. */
export function wordsOf(row: Row): string {
  let words = searchable.get(row);
  if (words === undefined) {
    words = JSON.stringify(row).toLowerCase();
    searchable.set(row, words);
  }
  return words;
}
