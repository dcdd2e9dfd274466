// What a tool call does, as a verb and what it is done to.
import { contractName } from "@/lib/contract-names";

interface ToolWords {
  verb: string;
  subject: string;
  mono: boolean;
}

const VERBS: Record<string, [verb: string, field: string]> = {
  read_file: ["Read", "path"],
  list_directory: ["Looked into", "path"],
  search_code: ["Searched for", "pattern"],
  write_file: ["Wrote", "path"],
  edit_file: ["Edited", "path"],
  check_syntax: ["Checked the syntax of", "path"],
  run_tests: ["Ran the tests", "command"],
  run_command: ["Ran", "command"],
  forge_get_phase_window: ["Read phase", "phase"],
  forge_ask_clarification: ["Asked", "question"],
  forge_load_skill: ["Loaded the skill", "name"],
  forge_scratchpad: ["Scratchpad:", "operation"],
};

export function toolWords(tool: string, input: unknown): ToolWords {
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
  return { verb, subject: subject || (field === "path" ? "." : ""), mono: field !== "question" };
}

export const pretty = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
