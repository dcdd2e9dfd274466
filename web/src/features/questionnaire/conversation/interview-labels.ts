// Labels for the state of a conversation.

import { isRunning } from "@/domain/generation";
import type { Generation, Interview } from "@/lib/api";
import { formatCompact, formatMinute, formatUsd } from "@/lib/format";

export type TalkState = "answering" | "failed" | "cancelled" | "open";

export function stateOf({ messages, generation }: Interview): TalkState {
  if (!generation) return "open";
  if (isRunning(generation)) return "answering";
  if (generation.status !== "done") return generation.status === "failed" ? "failed" : "cancelled";
  // The reply has finished, and its message has not arrived yet.
  return messages.at(-1)?.author === "person" ? "answering" : "open";
}

export function activityLabel({ status, retry_at, answers }: Generation): string {
  if (retry_at) return `The model is unavailable. Retrying at ${formatMinute(retry_at)}.`;
  if (status === "queued") return "Waiting to start…";
  return answers?.version ? "Filling in the form…" : "Reading your message…";
}

/** `m-1 · 2.1K tokens · $0.01`; empty if nothing was sent. */
export function usageLabel({ model, answers }: Generation): string {
  if (!answers || !model) return "";
  const tokens = answers.tokens_in + answers.cache_read + answers.cache_write + answers.tokens_out;
  if (tokens === 0) return "";
  const cost = answers.cost_usd_micros;
  return [model, `${formatCompact(tokens)} tokens`, cost === null ? "" : formatUsd(cost)]
    .filter(Boolean)
    .join(" · ");
}
