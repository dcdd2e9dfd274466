// Rows of the activity list. A row may represent several events.
import type { Payload, Role } from "@/domain/feed/event";

interface RowBase {
  key: string;
  seq: number;
  at: string;
  /** The phase it belongs to, if known. */
  phase: string | null;
  /** The agent that caused it. */
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
    | { kind: "agent"; run: string; task: string; model: string }
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
    | {
        kind: "gate";
        started: Payload;
        finished: Payload | null;
        /** The address of its complete output. */
        log: string | null;
      }
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
        group?: RowGroup;
        /** The engine's own work, which is collapsed. */
        internal?: boolean;
      }
  );

/** Groups that the list can be filtered by. */
export type RowGroup = "agents" | "gates" | "commits" | "errors";
