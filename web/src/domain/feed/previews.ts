// Text and output that is still being produced, by run or call.
import type { FeedEvent, Preview } from "./event";

export interface LivePreview {
  kind: "text" | "output";
  text: string;
  /** The last complete turn; chunks of it that arrive late are ignored. */
  said?: string;
}
export type LivePreviews = Record<string, LivePreview>;

const MAX_PREVIEW_LENGTH = 4_000;

const textOf = (payload: Record<string, unknown>): string => {
  for (const name of ["text", "delta", "chunk", "output", "line"]) {
    const value = payload[name];
    if (typeof value === "string") return value;
  }
  return Array.isArray(payload.lines) ? `${payload.lines.join("\n")}\n` : "";
};

function ownerOf(payload: Record<string, unknown>): string | null {
  const owner = payload.call_id ?? payload.gate ?? payload.run_id;
  return typeof owner === "string" ? owner : null;
}

/** Appends a chunk. Chunks are not ordered with events, so that a chunk may arrive after its turn ended. */
export function withPreview(previews: LivePreviews, { kind, payload }: Preview): LivePreviews {
  const text = textOf(payload);
  const owner = ownerOf(payload);
  const before = owner === null ? undefined : previews[owner];
  if (kind === "heartbeat" || text === "" || owner === null || before === undefined)
    return previews;
  // The last chunks of a turn may arrive after the turn.
  if (before.text === "" && before.said?.includes(text)) return previews;
  return {
    ...previews,
    [owner]: { kind, text: (before.text + text).slice(-MAX_PREVIEW_LENGTH) },
  };
}

const ENDS_GATE =
  /^build_(gate_finished|requested_gate_finished|preflight_finished|gate_out_of_resources)$/;
const ENDS_ALL = /^build_(sealing|sealed|abandoned|blocked|paused|resumed)$/;

/** The runs, calls and gates that can have a preview after this event. */
export function afterEvent(previews: LivePreviews, { type, payload }: FeedEvent): LivePreviews {
  const { run_id: run, call_id: call, gate } = payload;
  if (ENDS_ALL.test(type)) return {};
  const left = { ...previews };
  const begin = (owner: string | undefined, kind: LivePreview["kind"]) => {
    if (owner) left[owner] ??= { kind, text: "" };
  };
  if (run) begin(run, "text");
  if (type === "build_tool_call_started") begin(call, "output");
  if (type === "build_gate_started") begin(gate, "output");
  if (type === "build_tool_call_finished") delete left[call ?? ""];
  if (ENDS_GATE.test(type)) delete left[gate ?? ""];
  if (type === "build_agent_turn" && run)
    left[run] = { kind: "text", text: "", said: payload.text };
  if (type === "build_agent_finished") delete left[run ?? ""];
  return left;
}
