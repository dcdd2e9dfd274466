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
}

export function groupRows(events: FeedEvent[]): Row[] {
  const fold: Fold = { rows: [], roles: new Map(), open: new Map() };
  for (const event of events) take(fold, event);
  return fold.rows.filter((row) => !isAsking(row));
}

function take(fold: Fold, event: FeedEvent) {
  const { type, payload, seq, at } = event;
  const base = { key: `e${seq}`, seq, at };
  const role = fold.roles.get(payload.run_id ?? "") ?? null;
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
        role: payload.role ?? "coder",
        task: String(payload.task ?? ""),
        model: payload.model ?? "",
      });
    case "build_agent_turn":
      if (spokenText(payload.text ?? "")) fold.rows.push({ ...base, kind: "turn", role, payload });
      return;
    case "build_tool_call_started":
    case "build_tool_call_finished":
      return takeToolCall(fold, event, role);
    case "build_file_changed":
    case "build_contract_read":
      if (!tellByCall(fold.rows, event)) break;
      return;
    case "build_gate_started":
    case "build_gate_finished":
      return takeGate(fold, event);
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

function takeToolCall(fold: Fold, { type, payload, seq, at }: FeedEvent, role: Role | null) {
  const key = `call:${payload.run_id}:${payload.call_id}`;
  const row = { key, seq, at, kind: "tool" as const, role, change: null, read: null };
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

function takeGate(fold: Fold, { type, payload, seq, at }: FeedEvent) {
  const slot = `gate:${payload.gate}`;
  if (type === "build_gate_started") {
    fold.open.set(slot, fold.rows.length);
    fold.rows.push({
      key: `${slot}:${seq}`,
      seq,
      at,
      kind: "gate",
      started: payload,
      finished: null,
    });
    return;
  }
  const index = fold.open.get(slot);
  const begun = index === undefined ? undefined : fold.rows[index];
  if (index !== undefined && begun?.kind === "gate")
    fold.rows[index] = { ...begun, finished: payload };
  else
    fold.rows.push({
      key: `${slot}:${seq}`,
      seq,
      at,
      kind: "gate",
      started: payload,
      finished: payload,
    });
  fold.open.delete(slot);
}
