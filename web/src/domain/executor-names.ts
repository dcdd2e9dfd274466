import type { Executor } from "@/lib/api";

const NAMES: Record<Executor, string> = {
  builtin: "Built-in agent",
  claude_code: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
  gemini_cli: "Gemini CLI",
  custom: "Custom command",
  own_editor: "Own editor",
};

export const executorName = (executor: Executor) => NAMES[executor];
