// Events that are told in one line each, in plain words. Bookkeeping tells nothing.

import { contractEdition, contractName } from "@/lib/contract-names";
import { actorName, type FeedEvent, type Payload } from "@/lib/feed/event";
import { formatCompact, plural, shortSha } from "@/lib/format";
import type { NoteIcon, NoteTone, RowFilter } from "./row";

export interface Note {
  icon: NoteIcon;
  tone: NoteTone;
  text: string;
  detail?: string;
  group?: RowFilter;
}

const BLOCKED: Record<string, string> = {
  iterations: "the rounds of this phase are used up",
  minutes: "its working time is used up",
  tokens: "its tokens are used up",
  usd: "its money is used up",
  doom_loop: "an agent repeated itself",
  fix_attempts: "the fixer could not mend it in three attempts",
  stopped: "an agent stopped and said why",
  config: "a key, a model name or a quota needs a person",
  retries: "every retry failed",
};

const note = (icon: NoteIcon, tone: NoteTone, text: string, rest: Partial<Note> = {}): Note => ({
  icon,
  tone,
  text,
  ...rest,
});

const because = (reason: string | null | undefined) => (reason ? `: ${reason}` : "");

const queuedAs = ({ requests }: Payload) => {
  if (!requests) return "Queued, waiting for a worker";
  const comments = plural(requests.threads.length, "open comment");
  return `Queued to carry out requested changes: the reason and ${comments}`;
};

const TELL: Record<string, (payload: Payload) => Note | null> = {
  build_queued: (p) =>
    note("dot", "neutral", queuedAs(p), {
      detail: p.gates_detected
        ? `With ${plural(p.gates?.length ?? 0, "gate")} detected in the repository`
        : undefined,
    }),
  build_started: (p) =>
    note("start", "accent", `Started from ${shortSha(p.baseline_sha ?? "")}`, {
      detail: `On branch ${p.branch}`,
    }),
  build_resumed: (p) =>
    note("play", "accent", `Picked up again where it stood (attempt ${p.attempt ?? "?"})`),
  build_pause_requested: (p) => note("pause", "neutral", `${actorName(p.by)} asked for a pause`),
  build_paused: (p) => note("pause", "neutral", `Paused${because(p.reason)}`),
  build_resume_requested: (p) => note("play", "neutral", `${actorName(p.by)} asked to go on`),
  build_error_reopened: () => note("dot", "neutral", "A dismissed error was opened again"),
  build_unpaused: () => note("play", "accent", "Goes on"),
  build_cancel_requested: (p) =>
    note("stop", "waiting", `${actorName(p.by)} cancelled the build${because(p.reason)}`),
  build_abandoned: (p) =>
    note("stop", "neutral", `Cancelled${because(p.reason)}. The branch stays as it is.`),
  build_blocked: (p) =>
    note(
      "blocked",
      "bad",
      `Blocked: ${BLOCKED[p.reason ?? ""] ?? p.reason ?? "it needs a person"}`,
      {
        detail: p.report || p.last_failures?.join("\n"),
        group: "errors",
      },
    ),
  build_sealing: () =>
    note("check", "accent", "All phases are done. Every gate runs once more.", { group: "gates" }),
  build_interjected: (p) =>
    note("message", "accent", `${actorName(p.by)}: ${p.text ?? ""}`, { group: "agents" }),
  build_pushed: (p) =>
    note("push", "neutral", `Pushed ${shortSha(p.sha ?? "")}`, { group: "commits" }),
  build_plan_updated: (p) =>
    note("plan", "accent", `Plan with ${plural(p.steps?.length ?? 0, "step")}`, {
      detail: p.steps?.map((step, index) => `${index + 1}. ${step}`).join("\n"),
      group: "agents",
    }),
  build_task_done: (p) => note("task", "good", `Task ${p.task} is done`, { group: "agents" }),
  build_mode_switched: (p) =>
    note("dot", "neutral", p.mode === "plan" ? "Planning: reads only" : "Carrying out the plan", {
      group: "agents",
    }),
  build_file_changed: (p) =>
    note(
      "file",
      "neutral",
      `${p.operation === "created" ? "New file" : p.operation === "deleted" ? "Deleted" : "Changed"} ${p.path}`,
      {
        detail: `+${p.insertions ?? 0} −${p.deletions ?? 0}`,
        group: "agents",
      },
    ),
  build_context_compacted: (p) =>
    note(
      "dot",
      "neutral",
      `Shortened a long conversation: ${formatCompact(p.before ?? 0)} → ${formatCompact(p.after ?? 0)} tokens`,
      { group: "agents" },
    ),
  build_agent_finished: (p) => tellOutcome(p),
  build_criterion_checked: (p) =>
    note(
      "check",
      p.result === "passed" ? "good" : p.result === "failed" ? "bad" : "waiting",
      `Criterion ${p.result}: ${p.text ?? ""}`,
      { detail: typeof p.evidence === "string" ? p.evidence : undefined, group: "gates" },
    ),
  build_fix_attempt_started: (p) =>
    note("fix", "waiting", `Fix attempt ${p.attempt}`, {
      detail: p.causes?.join("\n"),
      group: "errors",
    }),
  build_fix_attempt_result: (p) =>
    note(
      "fix",
      p.passed ? "good" : "bad",
      `Fix attempt ${p.attempt} ${p.passed ? "worked" : "did not help"}${because(p.fix_summary)}`,
      {
        group: "errors",
      },
    ),
  build_retry_scheduled: (p) =>
    note("retry", "waiting", `Tries again (${p.attempt} of ${p.max_attempts})`, {
      group: "errors",
    }),
  build_log: (p) =>
    note(
      "log",
      p.level === "error" ? "bad" : p.level === "warning" ? "waiting" : "neutral",
      p.message ?? "",
      {
        group: p.level === "error" ? "errors" : undefined,
      },
    ),
  build_contract_read: (p) =>
    note("file", "neutral", `Read the contract ${contractName(p.contract ?? "")}`, {
      detail: contractEdition(p),
      group: "agents",
    }),
  build_branch_status: () => null,
  build_iteration_started: () => null,
  build_iteration_finished: () => null,
};

function tellOutcome({ outcome, findings, signed_off }: Payload): Note | null {
  if (outcome?.result === "stopped") {
    return note("blocked", "waiting", `Stopped: ${outcome.code}${because(outcome.text)}`, {
      group: "agents",
    });
  }
  if (outcome?.result === "doom_loop") {
    return note("blocked", "bad", `Stopped for repeating the same call of ${outcome.tool}`, {
      group: "agents",
    });
  }
  if (outcome?.result === "failed") {
    return note("blocked", "bad", `Failed${because(outcome.message)}`, { group: "agents" });
  }
  if (findings && findings.length > 0) {
    const lines = findings.map((finding) =>
      [finding.severity, finding.place, finding.text].filter(Boolean).join(" · "),
    );
    return note("check", "waiting", `The auditor found ${plural(findings.length, "thing")}`, {
      detail: lines.join("\n"),
      group: "agents",
    });
  }
  return signed_off ? note("check", "good", "The auditor signed off", { group: "agents" }) : null;
}

/** The line for an event, or null for one that tells a reader nothing. */
export function noteOf({ type, payload }: FeedEvent): Note | null {
  const tell = TELL[type];
  if (tell) return tell(payload);
  // A type that this page does not know yet is still named.
  return note("dot", "neutral", type.replace(/^build_/, "").replaceAll("_", " "));
}
