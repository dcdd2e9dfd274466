// Groups events into rows: start and end become one row, internal events none.

import { agentText } from "@/domain/feed/agent-text";
import type { FeedEvent, Role } from "@/domain/feed/event";
import { isAsking, mergeIntoCall, mergeIntoCommit } from "./merge-into-row";
import { noteOf } from "./notes";
import type { Row } from "./row";

interface Fold {
  rows: Row[];
  /** How many rows were dropped from the front. */
  dropped: number;
  roles: Map<string, Role>;
  /** The positions of rows that are not finished, counted with the dropped ones. */
  open: Map<string, number>;
  phase: string | null;
  /** Whether any event named a phase. */
  isPhaseKnown: boolean;
}

/** Fields of every row. */
type Base = Pick<Row, "key" | "seq" | "at" | "phase" | "role">;

/** The rows of a journal, or of a part of it. */
export const groupRows = (events: FeedEvent[]): Row[] => createRowGrouper()(events);

/**
 * Returns a function that groups a window of events, called with the window as it grows at the end and loses events
 * at the front. It reads new events only. Rows that they do not change stay the same objects, so that only what changed
 * is drawn and searched again.
 */
export function createRowGrouper(): (events: FeedEvent[]) => Row[] {
  let fold = beginFold([]);
  let grouped: FeedEvent[] = [];
  return (events) => {
    const lost = lostAtFront(events);
    if (lost > 0) dropRows(fold, events[0]?.seq ?? 0);
    const known = lost < 0 ? 0 : grouped.length - lost;
    if (lost < 0) fold = beginFold(events);
    for (let at = known; at < events.length; at++) takeSafely(fold, events[at] as FeedEvent);
    grouped = events;
    return fold.rows.filter((row) => !isAsking(row));
  };

  /** How many grouped events are no longer at the front of `events`; -1 if it is not a continuation. */
  function lostAtFront(events: FeedEvent[]): number {
    const [first] = events;
    if (!first || !grouped[0]) return -1;
    // Events have no gaps.
    const lost = first.seq - grouped[0].seq;
    const last = grouped.length - 1;
    if (lost < 0 || lost > last || grouped[lost] !== first) return -1;
    if (events[last - lost] !== grouped[last]) return -1;
    // The first event that names a phase determines the phase of the rows before it.
    if (!fold.isPhaseKnown && events.slice(last - lost + 1).some(namesPhase)) return -1;
    return lost;
  }
}

const beginFold = (events: FeedEvent[]): Fold => ({
  rows: [],
  dropped: 0,
  roles: new Map(),
  open: new Map(),
  phase: phaseBefore(events),
  isPhaseKnown: events.some(namesPhase),
});

/** Drops the rows before the event. */
function dropRows(fold: Fold, seq: number) {
  const first = fold.rows.findIndex((row) => row.seq >= seq);
  const count = first < 0 ? fold.rows.length : first;
  fold.rows.splice(0, count);
  fold.dropped += count;
}

const namesPhase = (event: FeedEvent) => phaseOf(event) !== null;

/** The phase that a part of a journal starts in, from the first event that names one. */
function phaseBefore(events: FeedEvent[]): string | null {
  const first = events.find(namesPhase);
  const phase = first ? phaseOf(first) : null;
  if (phase === null || events[0]?.seq === 1) return null;
  if (first?.type !== "build_phase_started") return phase;
  return Number(phase) > 0 ? String(Number(phase) - 1) : null;
}

const phaseOf = ({ payload: { phase } }: FeedEvent) =>
  phase != null && /^\d+$/.test(String(phase)) ? String(phase) : null;

/** An event of an unknown form gets a row that says so. */
function takeSafely(fold: Fold, event: FeedEvent) {
  const { seq, at, type } = event;
  try {
    take(fold, event);
  } catch {
    const text = `Event ${seq} (${type}) cannot be displayed.`;
    const base: Base = { key: `e${seq}`, seq, at, phase: fold.phase, role: null };
    fold.rows.push({ ...base, kind: "note", icon: "dot", tone: "neutral", text });
  }
}

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
        run: payload.run_id ?? "",
        task: String(payload.task ?? ""),
        model: payload.model ?? "",
      });
    case "build_agent_turn":
      if (agentText(payload.text ?? "")) fold.rows.push({ ...base, kind: "turn", payload });
      return;
    case "build_tool_call_started":
    case "build_tool_call_finished":
      return takeToolCall(fold, event, base);
    case "build_file_changed":
    case "build_contract_read":
      if (!mergeIntoCall(fold.rows, event)) break;
      return;
    case "build_gate_started":
    case "build_gate_finished":
    case "build_gate_out_of_resources":
      return takeGate(fold, event, base);
    case "build_preflight_finished":
      return fold.rows.push({
        ...base,
        kind: "gate",
        started: payload,
        finished: payload,
        log: logOf(event),
      });
    case "build_requested_gate_finished": {
      const finished = { ...payload, requested: true };
      return fold.rows.push({
        ...base,
        kind: "gate",
        started: payload,
        finished,
        log: logOf(event),
      });
    }
    case "build_commit_created":
      return fold.rows.push({ ...base, kind: "commit", payload, pushed: false });
    case "build_pushed":
      if (!mergeIntoCommit(fold.rows, event)) break;
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
    // A call that waited for permission is started again.
    if (fold.open.has(key)) return;
    fold.open.set(key, fold.dropped + fold.rows.length);
    fold.rows.push({ ...row, started: payload, finished: null });
    return;
  }
  const index = openIndex(fold, key);
  const begun = fold.rows[index];
  if (begun?.kind === "tool") fold.rows[index] = { ...begun, finished: payload };
  else fold.rows.push({ ...row, started: null, finished: payload });
  fold.open.delete(key);
}

/** Negative if it was dropped or did not begin. */
const openIndex = ({ open, dropped }: Fold, key: string) => (open.get(key) ?? -1) - dropped;

const logOf = ({ build_id, seq }: FeedEvent) => `/api/builds/${build_id}/gates/${seq}/log`;

function takeGate(fold: Fold, event: FeedEvent, base: Base) {
  const { type, payload, seq } = event;
  const slot = `gate:${payload.gate}`;
  const row = { ...base, key: `${slot}:${seq}`, kind: "gate" as const, started: payload };
  if (type === "build_gate_started") {
    fold.open.set(slot, fold.dropped + fold.rows.length);
    fold.rows.push({ ...row, finished: null, log: null });
    return;
  }
  const finished = { finished: payload, log: logOf(event) };
  const index = openIndex(fold, slot);
  const begun = fold.rows[index];
  if (begun?.kind === "gate") fold.rows[index] = { ...begun, ...finished };
  else fold.rows.push({ ...row, ...finished });
  fold.open.delete(slot);
}

/** The index of the row of event `seq`, or of the last row before it. */
export const rowAt = (rows: Row[], seq: number) => rows.findLastIndex((row) => row.seq <= seq);
