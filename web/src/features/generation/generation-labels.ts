// Labels for the state of a contract generation.

import { contractName } from "@/domain/contract-names";
import { generatedContracts } from "@/domain/generation";
import type { ContractSummary, GeneratedContract, Generation } from "@/lib/api";
import { formatCompact, formatUsd, plural } from "@/lib/format";

const TOOLS: Record<string, string> = {
  get_project_intent: "reading the project description",
  get_technical_preferences: "reading the answers about technology",
  get_user_stories: "reading the use cases",
  get_prior_contract: "reading an earlier contract",
  submit_contract: "submitting the text",
};

/** Follows the contract's name: "Schema: reading the answers". */
export function activityLabel({ tool, turn }: Pick<GeneratedContract, "tool" | "turn">): string {
  if (tool === null) return turn > 0 ? "thinking" : "begins";
  return TOOLS[tool] ?? `using ${tool}`;
}

/** The contract that is being generated, or the one at which the generation stopped. */
export const currentOf = ({ contracts }: Generation): GeneratedContract | undefined =>
  contracts.find(({ status }) => status === "writing" || status === "failed") ??
  contracts.find(({ status }) => status === "waiting");

/** From 0 to 100. The current contract counts by its turns. */
export function percentOf({ contracts }: Generation): number {
  const done = contracts.reduce((sum, { status, turn, turn_limit }) => {
    if (status === "written") return sum + 1;
    return status === "writing" ? sum + Math.min(0.9, turn / Math.max(1, turn_limit)) : sum;
  }, 0);
  return contracts.length === 0 ? 0 : (100 * done) / contracts.length;
}

export const isOffline = ({ model, contracts }: Generation): boolean =>
  model === "offline" || contracts.some(({ source }) => source === "draft");

/** The model's name, or a label if no model was used. */
export const modelLabel = (generation: Generation): string | null =>
  isOffline(generation) ? "offline draft" : generation.model;

export interface Spent {
  tokensIn: number;
  tokensOut: number;
  /** Null if a price is unknown. */
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

/** `24K tokens · $0.42`; empty if nothing was sent. */
export function usageLabel(generation: Generation): string {
  const { tokensIn, tokensOut, cost } = spentOf(generation);
  if (tokensIn + tokensOut === 0) return "";
  const tokens = `${formatCompact(tokensIn + tokensOut)} tokens`;
  return cost === null ? tokens : `${tokens} · ${formatUsd(cost)}`;
}

/** `4 of 9 contracts were generated and kept.` */
export function resultLabel(generation: Generation): string {
  const count = generatedContracts(generation).length;
  const all = generation.contracts.length;
  if (count === 0) return "No contracts were generated; existing ones are unchanged.";
  return `${count} of ${plural(all, "contract")} ${count === 1 ? "was" : "were"} generated and kept.`;
}

/** Announced once per step. */
export function announcement(generation: Generation): string {
  const { status, contracts } = generation;
  const current = currentOf(generation);
  const at = current ? contracts.indexOf(current) + 1 : 0;
  if (status === "running" && current)
    return `Generating ${contractName(current.type)}, ${at} of ${contracts.length}`;
  if (status === "done") return `${plural(contracts.length, "contract")} generated`;
  if (status === "failed") return `Stopped. ${resultLabel(generation)}`;
  if (status === "cancelled") return `Cancelled. ${resultLabel(generation)}`;
  return "Waiting to start";
}

/** Whether all contracts that a stopped generation left open have been written since. */
export function isSettled(generation: Generation, contracts: ContractSummary[]): boolean {
  const ended = generation.finished_at;
  if (ended === null) return false;
  const left = generation.contracts.filter(({ status }) => status !== "written");
  return left.every(({ type }) => {
    const changed = contracts.find((contract) => contract.type === type)?.updated_at;
    return changed != null && Date.parse(changed) > Date.parse(ended);
  });
}
