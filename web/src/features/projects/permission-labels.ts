// Labels of permission rules.

import type { Schemas } from "@/lib/api";
import { capitalized } from "@/lib/format";
import { keysOf } from "@/lib/keys-of";
import type { Tone } from "@/lib/tone";

export type Rule = Schemas["PermissionRule"];
export type Permission = Rule["permission"];
export type Action = Rule["action"];
type Layer = Schemas["PermissionLayer"];
type Verdict = Schemas["PermissionVerdict"];

export const MAX_RULES = 100;

const PERMISSIONS: Record<Permission, { label: string; example: string }> = {
  read: { label: "Read files", example: "private/*" },
  edit: { label: "Change files", example: "package.json" },
  bash: { label: "Run commands", example: "rm -rf *" },
  mcp: { label: "Call MCP tools", example: "search_*" },
  external_directory: { label: "Access files outside the project", example: "*" },
  doom_loop: { label: "Repeat the same call", example: "*" },
};

const ACTIONS: Record<Action, { label: string; verdict: string; tone: Tone }> = {
  allow: { label: "Allow", verdict: "Allowed.", tone: "good" },
  ask: { label: "Ask me first", verdict: "You will be asked.", tone: "waiting" },
  deny: { label: "Deny", verdict: "Denied.", tone: "bad" },
};

const LAYERS: Record<Layer, string> = {
  built_in: "a built-in rule",
  installation: "an installation rule",
  project: "a project rule",
};

/** The permissions that a project can set; others are read-only. */
export const CHOICES: Permission[] = ["read", "edit", "bash", "mcp"];

export const permissionLabel = (permission: Permission) => PERMISSIONS[permission].label;
export const patternExample = (permission: Permission) => PERMISSIONS[permission].example;
export const actionLabel = (action: Action) => ACTIONS[action].label;
export const actionTone = (action: Action) => ACTIONS[action].tone;
export const verdictLabel = (action: Action) => ACTIONS[action].verdict;

/** Options of a select, including the current value even if it is not offered. */
export function permissionOptions(current: Permission) {
  const offered = CHOICES.includes(current) ? CHOICES : [...CHOICES, current];
  return offered.map((value) => ({ value, label: permissionLabel(value) }));
}

export const actionOptions = keysOf(ACTIONS).map((value) => ({
  value,
  label: actionLabel(value),
}));

/** The reason of a verdict, with `code` between backticks. */
export function verdictReason({ action, layer, rule, parts }: Verdict): string {
  if (!layer || !rule) return "No rule matches, so you will be asked.";
  const because = `${LAYERS[layer]} applies: ${permissionLabel(rule.permission).toLowerCase()}, \`${rule.pattern}\`, ${actionLabel(rule.action).toLowerCase()}.`;
  const deciding = parts.find((part) => part.action === action);
  const where =
    deciding && deciding !== parts[0] ? ` It concerns \`${deciding.subject}\` in the line.` : "";
  const certain = deciding?.certain ?? true;
  const uncertainty = certain
    ? ""
    : " Part of the command is only known when it runs, so the rule may match.";
  return capitalized(because) + where + uncertainty;
}

/** Rules with a pattern; others are still being typed. */
export const complete = (rules: Rule[]) => rules.filter((rule) => rule.pattern.trim() !== "");

/** An error message for an invalid pattern. */
export function patternFault(pattern: string): string | null {
  if (pattern.trim() === "") return "Enter a pattern, such as git *";
  return [...pattern].length > 500 ? "At most 500 characters" : null;
}
