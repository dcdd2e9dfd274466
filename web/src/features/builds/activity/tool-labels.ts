// Describes a tool call as a verb and an object.
import { contractEdition, contractName } from "@/domain/contract-names";
import type { Payload } from "@/domain/feed/event";

interface ToolLabel {
  verb: string;
  subject: string;
  mono: boolean;
}

const VERBS: Record<string, [verb: string, field: string]> = {
  read_file: ["Read", "path"],
  list_directory: ["Listed", "path"],
  search_code: ["Searched for", "pattern"],
  write_file: ["Wrote", "path"],
  edit_file: ["Edited", "path"],
  delete_file: ["Deleted", "path"],
  move_file: ["Moved", "from"],
  discard_files: ["Discarded changes outside the scope", ""],
  git_diff: ["Read the changes of the phase", ""],
  check_syntax: ["Checked the syntax of", "path"],
  run_tests: ["Ran the tests", "command"],
  run_command: ["Ran", "command"],
  forge_get_phase_brief: ["Read the brief of phase", "phase_number"],
  forge_get_phase_window: ["Read phase", "phase_number"],
  forge_ask_clarification: ["Asked", "question"],
  forge_get_summary: ["Read the summary of ForgeGuard's tools", ""],
  forge_list_contracts: ["Listed the example contracts", ""],
  forge_get_project_context: ["Read the project context", ""],
  forge_list_project_contracts: ["Listed the project's contracts", ""],
  forge_get_build_contracts: ["Read the build's contracts", ""],
  forge_read_notepad: ["Read the notepad", ""],
  forge_get_artifact: ["Read the artifact", "key"],
  forge_store_artifact: ["Stored the artifact", "key"],
  forge_load_skill: ["Loaded the skill", "name"],
  submit_plan: ["Submitted the plan", ""],
  finish_step: ["Finished step", "step"],
  finish_phase: ["Finished:", "summary"],
  sign_off: ["Submitted the judgement:", "verdict"],
  forge_scratchpad: ["Scratchpad:", "operation"],
};

/** Shorter durations are not displayed. */
export const SLOW_CALL_MS = 100;

/** Fields with prose; all others are paths, patterns and commands. */
const PLAIN = new Set(["question", "phase_number", "step", "summary", "verdict"]);

export function toolLabel(tool: string, input: unknown): ToolLabel {
  const fields = (input && typeof input === "object" ? input : {}) as Record<string, unknown>;
  if (tool === "forge_get_project_contract" || tool === "forge_get_contract") {
    const type = fields.contract_type ?? fields.contract ?? fields.type ?? fields.name;
    return {
      verb: "Read the contract",
      subject: typeof type === "string" ? contractName(type) : "",
      mono: false,
    };
  }
  const [verb, field] = VERBS[tool] ?? [`Used ${tool}`, ""];
  const value = fields[field] ?? fields.query ?? "";
  const subject = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (field === "path" && /^(\.\/?)?$/.test(subject))
    return { verb, subject: "the project's folder", mono: false };
  return { verb, subject, mono: !PLAIN.has(field) };
}

/** The version of the contract that a call read, with its name if the row does not contain it. */
export function editionOf(read: Payload, subject: string): string {
  const name = contractName(read.contract ?? "");
  return name === subject ? contractEdition(read) : `${name} ${contractEdition(read)}`;
}

export const pretty = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
