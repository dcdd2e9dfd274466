// Labels of agents' tasks and of unanswered questions.
const TASKS: Record<string, string> = {
  scout: "explores the project",
  plan: "plans the phase",
  execute: "executes the plan",
  audit: "checks the result against the contracts",
  fix: "fixes failures",
};

const UNANSWERED: Record<string, string> = {
  timed_out: "The question expired; the agent decides",
  skipped: "The decision was left to the agent",
  cancelled: "The question was cancelled with the build",
};

export const taskLabel = (task: string) => TASKS[task] ?? "begins";

export const unansweredLabel = (how: string | undefined) => UNANSWERED[how ?? ""] ?? "";
