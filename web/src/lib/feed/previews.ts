// Text and command output while they are being made, by the run or the call they belong to.
import type { FeedEvent, Preview } from "./event";

export interface LivePreview {
  kind: "text" | "output";
  text: string;
  /** The turn that has just been said whole; late pieces of it are no news. */
  said?: string;
}
export type LivePreviews = Record<string, LivePreview>;

const KEPT = 4_000;

const textOf = (payload: Record<string, unknown>): string => {
  for (const name of ["text", "delta", "chunk", "output", "line"]) {
    const value = payload[name];
    if (typeof value === "string") return value;
  }
  return Array.isArray(payload.lines) ? `${payload.lines.join("\n")}\n` : "";
};

const ownerOf = (payload: Record<string, unknown>): string => {
  const owner = payload.call_id ?? payload.gate ?? payload.run_id;
  return typeof owner === "string" ? owner : "build";
};

export function withPreview(previews: LivePreviews, { kind, payload }: Preview): LivePreviews {
  const text = textOf(payload);
  if (kind === "heartbeat" || text === "") return previews;
  const owner = ownerOf(payload);
  const before = previews[owner];
  // Previews travel beside the events: the last words of a turn may come after the turn.
  if (before?.text === "" && before.said?.includes(text)) return previews;
  return { ...previews, [owner]: { kind, text: ((before?.text ?? "") + text).slice(-KEPT) } };
}

/** An event that says the whole ends the preview of it. */
export function forgetPreviews(previews: LivePreviews, events: FeedEvent[]): LivePreviews {
  if (events.length === 0) return previews;
  const left = { ...previews };
  for (const { type, payload } of events) {
    const run = payload.run_id ?? "";
    if (type === "build_agent_turn") left[run] = { kind: "text", text: "", said: payload.text };
    if (type === "build_agent_finished") delete left[run];
    if (type === "build_tool_call_finished") delete left[payload.call_id ?? ""];
    if (type === "build_gate_finished") delete left[payload.gate ?? ""];
    if (/^build_(sealed|abandoned|blocked|paused)$/.test(type)) return {};
  }
  return left;
}
