// Events of a build's journal as sent by the server. All fields are optional, so that an older page
// accepts events of a newer server.
import type { Schemas } from "@/lib/api";

export type Role = "scout" | "coder" | "auditor" | "fixer";

export type Actor = { kind: "forge" } | { kind: "user"; id: string; name: string };

export interface RunOutcome {
  result?: "completed" | "stopped" | "doom_loop" | "failed";
  code?: string;
  text?: string;
  tool?: string;
  message?: string;
}

export interface Finding {
  id?: string;
  severity?: string;
  place?: string | null;
  clause?: string | null;
  text?: string;
}

export interface Payload {
  phase?: number | string | null;
  title?: string;
  text?: string;
  reason?: string | null;
  by?: Actor;
  // lifecycle
  model?: string;
  node?: string;
  attempt?: number;
  from_seq?: number;
  baseline_sha?: string;
  report?: string;
  changes?: Schemas["GateChange"][];
  last_failures?: string[];
  verdict?: "CERTIFIED" | "CONDITIONAL" | "FLAGGED";
  score?: number;
  seal_commit?: string;
  journal_head?: string;
  limit?: Schemas["LimitName"];
  budget_added?: Record<string, number> | null;
  // branch
  branch?: string;
  status?: string;
  commit_count?: number;
  sha?: string;
  author_kind?: "forge" | "human";
  author_name?: string;
  files?: number;
  insertions?: number;
  deletions?: number;
  remote?: string;
  tip_sha?: string;
  paths?: string[];
  path_count?: number;
  conflicts?: string[];
  fetch_error?: string | null;
  // phases
  steps?: string[];
  task?: number | string;
  deliverables?: string[];
  mode?: "plan" | "execute";
  why?: string;
  n?: number;
  // agents
  role?: Role;
  run_id?: string;
  call_id?: string;
  tool?: string;
  input?: unknown;
  ok?: boolean;
  output?: string;
  duration_ms?: number;
  tokens_in?: number;
  tokens_out?: number;
  cost_usd_micros?: number;
  path?: string;
  operation?: "created" | "modified" | "deleted";
  contract?: string;
  version?: number;
  source?: string;
  before?: number;
  after?: number;
  outcome?: RunOutcome;
  summary?: string | null;
  findings?: Finding[];
  signed_off?: boolean;
  // gates
  gates?: unknown[];
  /** A gate that a user requested; set when its row is made. */
  requested?: boolean;
  /** The git reference with discarded changes. */
  rescue?: string;
  discard_changes?: boolean;
  first_phase?: { number: number; by: Actor };
  gates_detected?: boolean;
  requests?: {
    reason: string;
    item?: { title: string };
    threads: unknown[];
    comments?: unknown[];
  };
  gate?: string;
  missing_program?: string;
  resource?: "memory" | "disk";
  log?: { bytes: number; left_out_bytes?: number };
  command?: string;
  required?: boolean;
  passed?: boolean;
  unchanged?: boolean;
  exit_code?: number | null;
  output_sha256?: string;
  head_sha?: string;
  sandbox?: string | null;
  named_tests?: { name: string; outcome: "passed" | "skipped" | "failed" }[];
  base_sha?: string | null;
  test_file_count?: number;
  mutants?: {
    path: string;
    line: number;
    before: string;
    after: string;
    outcome: "killed" | "survived" | "not_built";
  }[];
  index?: number;
  note?: string | null;
  change?: "confirmed" | "reworded" | "removed";
  result?: string;
  evidence?: unknown;
  causes?: string[];
  fix_summary?: string;
  error_class?: string;
  max_attempts?: number;
  retry_at?: string;
  // errors
  id?: string;
  error_id?: string;
  severity?: "warning" | "error" | "fatal";
  message?: string;
  file_path?: string | null;
  occurrence_count?: number;
  regression?: boolean;
  method?: string;
  // questions
  question_id?: string;
  kind?: "question" | "permission" | "assumption" | "plan" | "confirmation";
  question?: string;
  context?: string | null;
  options?: string[];
  multiple?: boolean;
  asked_by?: Role;
  expires_at?: string | null;
  question_expiries?: { question_id: string; expires_at: string }[];
  question_expires_at?: string | null;
  answer?: string | null;
  how?: "answered" | "timed_out" | "skipped" | "cancelled";
  // log
  level?: "info" | "warning" | "error";
}

export interface FeedEvent {
  seq: number;
  build_id: string;
  at: string;
  type: string;
  payload: Payload;
  hash: string;
}

/** Text and output while it is produced. Not stored; the following event replaces it. */
export interface Preview {
  kind: "text" | "output" | "heartbeat";
  payload: Record<string, unknown>;
}

export function actorName(by: Actor | undefined): string {
  return by?.kind === "user" ? by.name : "ForgeGuard";
}
