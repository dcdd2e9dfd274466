// Permission rules in plain words.
import type { Schemas } from "@/lib/api";
import type { Tone } from "@/lib/tone";

export type Rule = Schemas["PermissionRule"];
export type Permission = Rule["permission"];
export type Action = Rule["action"];
type Layer = Schemas["PermissionLayer"];
type Verdict = Schemas["PermissionVerdict"];

export const MOST_RULES = 100;

const PERMISSIONS: Record<Permission, { label: string; example: string }> = {
  read: { label: "Read files", example: "private/*" },
  edit: { label: "Change files", example: "package.json" },
  bash: { label: "Run commands", example: "rm -rf *" },
  mcp: { label: "Call MCP tools", example: "search_*" },
  external_directory: { label: "Reach outside the project", example: "*" },
  doom_loop: { label: "Repeat the same call", example: "*" },
};

const ACTIONS: Record<Action, { label: string; verdict: string; tone: Tone }> = {
  allow: { label: "Allow", verdict: "Allowed.", tone: "good" },
  ask: { label: "Ask me first", verdict: "You are asked first.", tone: "waiting" },
  deny: { label: "Deny", verdict: "Denied.", tone: "bad" },
};

const LAYERS: Record<Layer, string> = {
  built_in: "a built-in rule",
  installation: "a rule of this installation",
  project: "a rule of this project",
};

/** What a project has a say in; the others are shown and cannot be changed. */
export const CHOICES: Permission[] = ["read", "edit", "bash", "mcp"];

export const permissionLabel = (permission: Permission) => PERMISSIONS[permission].label;
export const patternExample = (permission: Permission) => PERMISSIONS[permission].example;
export const actionLabel = (action: Action) => ACTIONS[action].label;
export const actionTone = (action: Action) => ACTIONS[action].tone;
export const verdictLabel = (action: Action) => ACTIONS[action].verdict;

/** Options of a list to choose from, with one that is set already even if it is not offered. */
export function permissionOptions(current: Permission) {
  const offered = CHOICES.includes(current) ? CHOICES : [...CHOICES, current];
  return offered.map((value) => ({ value, label: permissionLabel(value) }));
}

export const actionOptions = (Object.keys(ACTIONS) as Action[]).map((value) => ({
  value,
  label: actionLabel(value),
}));

/** Why a verdict is what it is, with `code` between backticks. */
export function verdictReason({ action, layer, rule, parts }: Verdict): string {
  if (!layer || !rule) return "No rule fits, and then you are asked.";
  const because = `${LAYERS[layer]} says so: ${permissionLabel(rule.permission).toLowerCase()}, \`${rule.pattern}\`, ${actionLabel(rule.action).toLowerCase()}.`;
  const deciding = parts.find((part) => part.action === action);
  const where =
    deciding && deciding !== parts[0] ? ` It is about \`${deciding.subject}\` in the line.` : "";
  const certain = deciding?.certain ?? true;
  const doubt = certain ? "" : " Part of it is known only when it runs, so the rule might fit.";
  return because.charAt(0).toUpperCase() + because.slice(1) + where + doubt;
}

/** The rules that can be sent: those without a pattern are still being typed. */
export const complete = (rules: Rule[]) => rules.filter((rule) => rule.pattern.trim() !== "");

/** What is wrong with a pattern, or nothing. */
export function patternFault(pattern: string): string | null {
  if (pattern.trim() === "") return "Write a pattern, such as git *";
  return [...pattern].length > 500 ? "At most 500 characters" : null;
}
