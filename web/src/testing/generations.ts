// Contract generations for tests.

import { CONTRACT_TYPES } from "@/domain/contract-names";
import type { GeneratedContract, Generation } from "@/lib/api";

export const generatedContract = (given: Partial<GeneratedContract> = {}): GeneratedContract => ({
  type: "manifesto",
  status: "waiting",
  turn: 0,
  turn_limit: 12,
  tool: null,
  refusals: 0,
  refusal: null,
  version: null,
  source: null,
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_usd_micros: 0,
  sent_tokens: 0,
  pasted_tokens: 0,
  ...given,
});

/** A generation of nine contracts of which the first `written` are done and the next is running. */
export function generation(written: number, given: Partial<Generation> = {}): Generation {
  const running = given.status === undefined || given.status === "running";
  return {
    id: "g1",
    project_id: "p1",
    status: "running",
    model: "m-1",
    started_by: "Ada",
    created_at: "2026-11-21T20:00:00Z",
    started_at: "2026-11-21T20:00:01Z",
    finished_at: running ? null : "2026-11-21T20:02:11Z",
    failure: null,
    retry_at: null,
    contracts: CONTRACT_TYPES.map((type, index) =>
      generatedContract({
        type,
        ...(index < written && { status: "written", version: 1, source: "generated", turn: 4 }),
        ...(index === written && running && { status: "writing" }),
      }),
    ),
    answers: null,
    ...given,
  };
}

/** A reply in an interview that has just started. */
export const answering = (given: Partial<Generation> = {}): Generation => ({
  ...generation(0, given),
  contracts: [],
  answers: {
    turn: 0,
    turn_limit: 8,
    version: null,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_usd_micros: 0,
    ...given.answers,
  },
});
