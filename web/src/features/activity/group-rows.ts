// Folds events into rows: what began and what ended become one, bookkeeping becomes none.
import type { FeedEvent, Role } from "@/lib/feed/event";
import { spokenText } from "@/lib/feed/spoken-text";
import { noteOf } from "./notes";
import type { Row } from "./row";
import { isAsking, tellByCall, tellByCommit } from "./told-by";

interface Fold {
  rows: Row[];
  roles: Map<string, Role>;
  open: Map<string, number>;
  phase: string | null;
}

/** What every row has. */
type Base = Pick<Row, "key" | "seq" | "at" | "phase" | "role">;

export function groupRows(events: FeedEvent[]): Row[] {
  const fold: Fold = { rows: [], roles: new Map(), open: new Map(), phase: phaseBefore(events) };
  for (const event of events) take(fold, event);
  return fold.rows.filter((row) => !isAsking(row));
}

/** The phase that a part of a journal begins in, by the first event that tells. */
function phaseBefore(events: FeedEvent[]): string | null {
  const first = events.find((event) => phaseOf(event) !== null);
  const phase = first ? phaseOf(first) : null;
  if (phase === null || events[0]?.seq === 1) return null;
  if (first?.type !== "build_phase_started") return phase;
  return Number(phase) > 0 ? String(Number(phase) - 1) : null;
}

const phaseOf = ({ payload: { phase } }: FeedEvent) =>
  phase != null && /^\d+$/.test(String(phase)) ? String(phase) : null;

function take(fold: Fold, event: FeedEvent) {
  const { type, payload, seq, at } = event;
  fold.phase = type === "build_sealing" ? null : (phaseOf(event) ?? fold.phase);
  const role = payload.role ?? payload.asked_by ?? fold.roles.get(payload.run_id ?? "") ?? null;
  const base: Base = { key: `e${seq}`, seq, at, phase: fold.phase, role };
  switch (type) {
    case "build_phase_started":
      return fold.rows.push({
        ...base,
        kind: "phase",
        number: String(payload.phase ?? ""),
        title: payload.title ?? "",
      });
    case "build_phase_complete":
      return fold.rows.push({
        ...base,
        kind: "phase-complete",
        number: String(payload.phase ?? ""),
        deliverables: payload.deliverables ?? [],
      });
    case "build_agent_started":
      if (payload.run_id && payload.role) fold.roles.set(payload.run_id, payload.role);
      return fold.rows.push({
        ...base,
        kind: "agent",
        task: String(payload.task ?? ""),
        model: payload.model ?? "",
      });
    case "build_agent_turn":
      if (spokenText(payload.text ?? "")) fold.rows.push({ ...base, kind: "turn", payload });
      return;
    case "build_tool_call_started":
    case "build_tool_call_finished":
      return takeToolCall(fold, event, base);
    case "build_file_changed":
    case "build_contract_read":
      if (!tellByCall(fold.rows, event)) break;
      return;
    case "build_gate_started":
    case "build_gate_finished":
      return takeGate(fold, event, base);
    case "build_commit_created":
      return fold.rows.push({ ...base, kind: "commit", payload, pushed: false });
    case "build_pushed":
      if (!tellByCommit(fold.rows, event)) break;
      return;
    case "build_clarification_request":
      return fold.rows.push({ ...base, kind: "question", payload });
    case "build_clarification_resolved":
      return fold.rows.push({ ...base, kind: "answer", payload });
    case "build_error_tracked":
      return fold.rows.push({ ...base, kind: "error", payload });
    case "build_error_resolved":
      return fold.rows.push({ ...base, kind: "resolved", payload });
    case "build_sealed":
      return fold.rows.push({ ...base, kind: "seal", payload });
  }
  const note = noteOf(event);
  if (note) fold.rows.push({ ...base, kind: "note", ...note });
}

function takeToolCall(fold: Fold, { type, payload }: FeedEvent, base: Base) {
  const key = `call:${payload.run_id}:${payload.call_id}`;
  const row = { ...base, key, kind: "tool" as const, change: null, read: null };
  if (type === "build_tool_call_started") {
    fold.open.set(key, fold.rows.length);
    fold.rows.push({ ...row, started: payload, finished: null });
    return;
  }
  const index = fold.open.get(key);
  const begun = index === undefined ? undefined : fold.rows[index];
  if (index !== undefined && begun?.kind === "tool")
    fold.rows[index] = { ...begun, finished: payload };
  else fold.rows.push({ ...row, started: null, finished: payload });
  fold.open.delete(key);
}

function takeGate(fold: Fold, { type, payload, seq }: FeedEvent, base: Base) {
  const slot = `gate:${payload.gate}`;
  const row = { ...base, key: `${slot}:${seq}`, kind: "gate" as const, started: payload };
  if (type === "build_gate_started") {
    fold.open.set(slot, fold.rows.length);
    fold.rows.push({ ...row, finished: null });
    return;
  }
  const index = fold.open.get(slot);
  const begun = index === undefined ? undefined : fold.rows[index];
  if (index !== undefined && begun?.kind === "gate")
    fold.rows[index] = { ...begun, finished: payload };
  else fold.rows.push({ ...row, finished: payload });
  fold.open.delete(slot);
}

/** Where the row stands that tells of the event `seq`: its own, or the last one before it. */
export const rowAt = (rows: Row[], seq: number) => rows.findLastIndex((row) => row.seq <= seq);
