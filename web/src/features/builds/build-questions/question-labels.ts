// Labels for the state of a question about a build.
import type { Generation } from "@/lib/api";
import { formatCompact, formatMinute, formatUsd } from "@/lib/format";

export function activityLabel({ status, retry_at, answers }: Generation): string {
  if (retry_at) return `The model is unavailable. Retrying at ${formatMinute(retry_at)}.`;
  if (status === "queued") return "Queued";
  return answers && answers.turn > 0
    ? `Answering… ${answers.turn} of at most ${answers.turn_limit} replies`
    : "Answering…";
}

/** `m-1 · 2.1K tokens · $0.01`; empty if nothing was sent. */
export function usageLabel({ model, answers }: Generation): string {
  if (!answers || !model) return "";
  const tokens = answers.tokens_in + answers.cache_read + answers.cache_write + answers.tokens_out;
  if (tokens === 0) return "";
  const cost = answers.cost_usd_micros;
  const price = cost === null ? "price unknown" : formatUsd(cost);
  return `${model} · ${formatCompact(tokens)} tokens · ${price}`;
}
