// Labels of runs, and the conversations that they form.
import { roleName } from "@/domain/role-names";
import type { BuildRun } from "@/lib/api";
import { formatCompact, formatUsd, plural } from "@/lib/format";

const TASKS: Record<BuildRun["task"], string> = {
  scout: "Exploration",
  plan: "Plan",
  execute: "Implementation",
  audit: "Audit",
  fix: "Fix",
};

const OUTCOMES: Record<NonNullable<BuildRun["outcome"]>["result"], string> = {
  completed: "Completed",
  stopped: "Stopped by the agent",
  doom_loop: "Stopped: repeated call",
  failed: "Failed",
};

export interface Conversation {
  id: string;
  /** In the order of their starts. */
  runs: [BuildRun, ...BuildRun[]];
}

export function conversationsOf(runs: BuildRun[]): Conversation[] {
  const byId = new Map<string, Conversation>();
  for (const run of runs) {
    const known = byId.get(run.conversation);
    if (known) known.runs.push(run);
    else byId.set(run.conversation, { id: run.conversation, runs: [run] });
  }
  return [...byId.values()];
}

export const taskName = (run: BuildRun) => TASKS[run.task];

export const outcomeLabel = ({ outcome }: BuildRun) =>
  outcome ? OUTCOMES[outcome.result] : "Running";

/** `Phase 1 · Coder` */
export const conversationName = ({ runs: [first] }: Conversation) =>
  `Phase ${first.phase} · ${roleName(first.role)}`;

/** `m-1 · 8 replies · 26K in · 600 out · $0.12` */
export function usageLabel({ runs }: Conversation): string {
  const sum = (of: (run: BuildRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  return [
    [...new Set(runs.map(({ model }) => model))].join(", "),
    plural(
      sum(({ turns }) => turns),
      "reply",
      "replies",
    ),
    `${formatCompact(sum(({ tokens_in }) => tokens_in))} in`,
    `${formatCompact(sum(({ tokens_out }) => tokens_out))} out`,
    formatUsd(sum(({ cost_usd_micros }) => cost_usd_micros)),
  ].join(" · ");
}
