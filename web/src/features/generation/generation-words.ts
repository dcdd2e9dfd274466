// What is happening in a run that writes contracts, in plain words.
import type { ContractSummary, GeneratedContract, Generation } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { formatCompact, formatUsd, plural } from "@/lib/format";
import { writtenOf } from "@/lib/generation";

const TOOLS: Record<string, string> = {
  get_project_intent: "reads what should be built",
  get_technical_preferences: "reads the answers about technology",
  get_user_stories: "reads what people want to do with it",
  get_prior_contract: "reads a contract that is written already",
  submit_contract: "hands in the text",
};

/** Goes on after the contract's name: "Schema: reads what should be built". */
export function doingWords({ tool, turn }: Pick<GeneratedContract, "tool" | "turn">): string {
  if (tool === null) return turn > 0 ? "thinks about it" : "begins";
  return TOOLS[tool] ?? `uses ${tool}`;
}

/** The one that is being written, or where it has stopped. */
export const currentOf = ({ contracts }: Generation): GeneratedContract | undefined =>
  contracts.find(({ status }) => status === "writing" || status === "failed") ??
  contracts.find(({ status }) => status === "waiting");

/** From 0 to 100; a contract that is under way counts by its turns, and never as a whole. */
export function percentOf({ contracts }: Generation): number {
  const done = contracts.reduce((sum, { status, turn, turn_limit }) => {
    if (status === "written") return sum + 1;
    return status === "writing" ? sum + Math.min(0.9, turn / Math.max(1, turn_limit)) : sum;
  }, 0);
  return contracts.length === 0 ? 0 : (100 * done) / contracts.length;
}

export const isOffline = ({ model, contracts }: Generation): boolean =>
  model === "offline" || contracts.some(({ source }) => source === "draft");

/** The model, and never its name where there was none. */
export const modelWords = (generation: Generation): string | null =>
  isOffline(generation) ? "offline draft" : generation.model;

export interface Spent {
  tokensIn: number;
  tokensOut: number;
  /** Null where a price is not known. */
  cost: number | null;
}

export function spentOf({ contracts }: Pick<Generation, "contracts">): Spent {
  const spent: Spent = { tokensIn: 0, tokensOut: 0, cost: 0 };
  for (const each of contracts) {
    spent.tokensIn += each.tokens_in + each.cache_read + each.cache_write;
    spent.tokensOut += each.tokens_out;
    if (each.cost_usd_micros === null || spent.cost === null) spent.cost = null;
    else spent.cost += each.cost_usd_micros;
  }
  return spent;
}

/** `24K tokens · $0.42`; empty where nothing was sent. */
export function spentWords(generation: Generation): string {
  const { tokensIn, tokensOut, cost } = spentOf(generation);
  if (tokensIn + tokensOut === 0) return "";
  const tokens = `${formatCompact(tokensIn + tokensOut)} tokens`;
  return cost === null ? tokens : `${tokens} · ${formatUsd(cost)}`;
}

/** `4 of 9 contracts are written and kept.` */
export function keptWords(generation: Generation): string {
  const kept = writtenOf(generation).length;
  const all = generation.contracts.length;
  if (kept === 0) return "Nothing was written; what was there before is unchanged.";
  return `${kept} of ${plural(all, "contract")} ${kept === 1 ? "is" : "are"} written and kept.`;
}

/** Said once for each step, to those who listen. */
export function spokenWords(generation: Generation): string {
  const { status, contracts } = generation;
  const current = currentOf(generation);
  const at = current ? contracts.indexOf(current) + 1 : 0;
  if (status === "running" && current)
    return `Writing ${contractName(current.type)}, ${at} of ${contracts.length}`;
  if (status === "done") return `${plural(contracts.length, "contract")} written`;
  if (status === "failed") return `Stopped. ${keptWords(generation)}`;
  if (status === "cancelled") return `Cancelled. ${keptWords(generation)}`;
  return "Waiting to begin";
}

/** Whether all that a stopped run left open has been written in another way since. */
export function isSettled(generation: Generation, contracts: ContractSummary[]): boolean {
  const ended = generation.finished_at;
  if (ended === null) return false;
  const left = generation.contracts.filter(({ status }) => status !== "written");
  return left.every(({ type }) => {
    const changed = contracts.find((contract) => contract.type === type)?.updated_at;
    return changed != null && Date.parse(changed) > Date.parse(ended);
  });
}
