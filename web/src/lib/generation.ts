// A run that writes contracts, and what can be said of it.
import type { ContractType } from "./api";

export type GenerationStatus = "queued" | "running" | "done" | "failed" | "cancelled";

export interface GeneratedContract {
  type: ContractType;
  status: "waiting" | "writing" | "written" | "failed";
  turn: number;
  turn_limit: number;
  /** The last tool that was called. */
  tool: string | null;
  refusals: number;
  /** Why a text was refused the last time. */
  refusal: string | null;
  version: number | null;
  source: "generated" | "draft" | null;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** Null where nobody knows the price. */
  cost_usd_micros: number | null;
  sent_tokens: number;
  pasted_tokens: number;
}

export interface Generation {
  id: string;
  project_id: string;
  status: GenerationStatus;
  model: string | null;
  started_by: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  failure: string | null;
  retry_at: string | null;
  contracts: GeneratedContract[];
}

export const isUnderWay = ({ status }: Pick<Generation, "status">): boolean =>
  status === "queued" || status === "running";

export const writtenOf = ({ contracts }: Generation): GeneratedContract[] =>
  contracts.filter(({ status }) => status === "written");
