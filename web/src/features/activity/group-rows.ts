// Folds events into rows: what began and what ended become one, bookkeeping becomes none.
import type { FeedEvent, Role } from "@/lib/feed/event";
import { spokenText } from "@/lib/feed/spoken-text";
import { noteOf } from "./notes";
import type { Row } from "./row";

interface Fold {
  rows: Row[];
  roles: Map<string, Role>;
  open: Map<string, number>;
}

export function groupRows(events: FeedEvent[]): Row[] {
  const fold: Fold = { rows: [], roles: new Map(), open: new Map() };
  for (const event of events) take(fold, event);
  return fold.rows;
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
      if (!takeFileChange(fold, event)) break;
      return;
    case "build_gate_started":
    case "build_gate_finished":
      return takeGate(fold, event);
    case "build_commit_created":
      return fold.rows.push({ ...base, kind: "commit", payload });
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

/** Counts of a changed file belong to the call that wrote it, where that is in sight. */
function takeFileChange({ rows }: Fold, { payload }: FeedEvent): boolean {
  for (let index = rows.length - 1; index >= Math.max(0, rows.length - 8); index--) {
    const row = rows[index];
    if (row?.kind !== "tool" || row.change || row.started?.run_id !== payload.run_id) continue;
    if (!/write|edit/.test(row.started?.tool ?? "")) continue;
    if ((row.started?.input as { path?: string } | undefined)?.path !== payload.path) continue;
    rows[index] = { ...row, change: payload };
    return true;
  }
  return false;
}

function takeToolCall(fold: Fold, { type, payload, seq, at }: FeedEvent, role: Role | null) {
  const key = `call:${payload.run_id}:${payload.call_id}`;
  if (type === "build_tool_call_started") {
    fold.open.set(key, fold.rows.length);
    fold.rows.push({
      key,
      seq,
      at,
      kind: "tool",
      role,
      started: payload,
      finished: null,
      change: null,
    });
    return;
  }
  const index = fold.open.get(key);
  const begun = index === undefined ? undefined : fold.rows[index];
  if (index !== undefined && begun?.kind === "tool")
    fold.rows[index] = { ...begun, finished: payload };
  else
    fold.rows.push({
      key,
      seq,
      at,
      kind: "tool",
      role,
      started: null,
      finished: payload,
      change: null,
    });
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
