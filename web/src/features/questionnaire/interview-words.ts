// How a talk stands, in plain words.
import type { Generation, Interview } from "@/lib/api";
import { formatCompact, formatMinute, formatUsd } from "@/lib/format";
import { isUnderWay } from "@/lib/generation";

/** Whether an answer is on its way, did not come, or all is answered. */
export type TalkState = "answering" | "failed" | "cancelled" | "open";

export function stateOf({ messages, generation }: Interview): TalkState {
  if (!generation) return "open";
  if (isUnderWay(generation)) return "answering";
  if (generation.status !== "done") return generation.status === "failed" ? "failed" : "cancelled";
  // The run has ended, and its message is about to be here.
  return messages.at(-1)?.author === "person" ? "answering" : "open";
}

export function doingWords({ status, retry_at, answers }: Generation): string {
  if (retry_at)
    return `The model does not answer right now. It is asked again at ${formatMinute(retry_at)}; nothing is lost.`;
  if (status === "queued") return "Waiting to begin…";
  return answers?.version ? "Writes down what it understood…" : "Reads what you said…";
}

/** `m-1 · 2.1K tokens · $0.01`; empty where nothing was sent. */
export function spentWords({ model, answers }: Generation): string {
  if (!answers || !model) return "";
  const tokens = answers.tokens_in + answers.cache_read + answers.cache_write + answers.tokens_out;
  if (tokens === 0) return "";
  const cost = answers.cost_usd_micros;
  return [model, `${formatCompact(tokens)} tokens`, cost === null ? "" : formatUsd(cost)]
    .filter(Boolean)
    .join(" · ");
}
