// Labels of events that are displayed as one line. Other events have rows of their own or none.

import { contractEdition, contractName } from "@/domain/contract-names";
import { actorName, type FeedEvent, type Payload } from "@/domain/feed/event";
import { gateChangeText } from "@/domain/gate-changes";
import { LIMIT_LABELS } from "@/domain/limit-labels";
import { formatCompact, plural, shortSha } from "@/lib/format";
import type { NoteIcon, NoteTone, RowGroup } from "./row";

export interface Note {
  icon: NoteIcon;
  tone: NoteTone;
  text: string;
  detail?: string;
  group?: RowGroup;
  /** The engine's own work, which is collapsed. */
  internal?: boolean;
}

const note = (icon: NoteIcon, tone: NoteTone, text: string, rest: Partial<Note> = {}): Note => ({
  icon,
  tone,
  text,
  ...rest,
});

const fixResult = (p: Payload): string => {
  if (p.unchanged) return "changed nothing";
  return p.passed ? "worked" : "failed";
};

const because = (reason: string | null | undefined) => (reason ? `: ${reason}` : "");

/** The reason is in the report that the server wrote. */
const blockedLabel = (report: string | undefined) => {
  const why = report?.match(/\*\*Why:\*\* (.+)/)?.[1];
  return why ? `Blocked. ${why}` : "Blocked";
};

const savedAt = ({ rescue }: Payload) =>
  rescue ? `Discarded changes were saved as ${rescue}` : undefined;

const notFetched = ({ fetch_error }: Payload) =>
  fetch_error && `The remote could not be fetched: ${fetch_error}`;

const lines = (...texts: (string | null | undefined)[]) =>
  texts.filter(Boolean).join("\n") || undefined;

const listed = (paths: string[] = [], count = paths.length) =>
  count > paths.length ? `${paths.join("\n")}\nand ${count - paths.length} more` : paths.join("\n");

const queuedAs = ({ requests }: Payload) => {
  if (!requests) return "Queued";
  if (requests.item) return `Queued for “${requests.item.title}” of the backlog`;
  const count = requests.threads.length + (requests.comments?.length ?? 0);
  const comments = plural(count, "open comment");
  return `Queued to address requested changes and ${comments}`;
};

const NOTES: Record<string, (payload: Payload) => Note | null> = {
  build_queued: (p) =>
    note("dot", "neutral", queuedAs(p), {
      detail:
        [
          p.first_phase &&
            `${actorName(p.first_phase.by)} starts it at phase ${p.first_phase.number}`,
          p.gates_detected &&
            `With ${plural(p.gates?.length ?? 0, "gate")} detected in the repository`,
        ]
          .filter(Boolean)
          .join("\n") || undefined,
    }),
  build_started: (p) =>
    note("start", "accent", `Started from ${shortSha(p.baseline_sha ?? "")}`, {
      detail: `On branch ${p.branch}`,
    }),
  build_resumed: (p) =>
    note("play", "accent", `Continued after an interruption (attempt ${p.attempt ?? "?"})`),
  build_pause_requested: (p) => note("pause", "neutral", `${actorName(p.by)} paused the build`),
  build_paused: (p) => note("pause", "neutral", `Paused${because(p.reason)}`),
  build_resume_requested: (p) => note("play", "neutral", `${actorName(p.by)} resumed the build`),
  build_error_reopened: () => note("dot", "neutral", "A dismissed error was reopened"),
  build_budget_warning: (p) =>
    note("dot", "accent", `At least 80 % used: ${LIMIT_LABELS[p.limit ?? "usd"]}`),
  build_clock_corrected: () =>
    note("dot", "neutral", "The system clock changed; working time was corrected", {
      internal: true,
    }),
  build_unpaused: () => note("play", "accent", "Resumed"),
  build_cancel_requested: (p) =>
    note("stop", "waiting", `${actorName(p.by)} cancelled the build${because(p.reason)}`),
  build_abandoned: (p) =>
    note("stop", "neutral", `Cancelled${because(p.reason)}. The branch is kept.`),
  build_blocked: (p) =>
    note("blocked", "bad", blockedLabel(p.report), {
      detail: p.report || p.last_failures?.join("\n"),
      group: "errors",
    }),
  build_sealing: () =>
    note("check", "accent", "All phases are done. All gates run again.", { group: "gates" }),
  build_interjected: (p) =>
    note("message", "accent", `${actorName(p.by)}: ${p.text ?? ""}`, { group: "agents" }),
  build_pushed: (p) =>
    note("push", "neutral", `Pushed ${shortSha(p.sha ?? "")}`, { group: "commits" }),
  build_base_compared: (p) => {
    const text = p.base_sha
      ? `${p.branch} was merged by a push`
      : `${p.branch} has no changes to merge`;
    return note("check", "neutral", text, { detail: lines(notFetched(p)), group: "commits" });
  },
  build_base_merged: (p) =>
    note(
      "push",
      "accent",
      `Merged ${p.branch} at ${shortSha(p.tip_sha ?? "")}. The gates run again.`,
      {
        detail: lines(
          p.conflicts?.length ? `Resolved conflicts:\n${listed(p.conflicts)}` : null,
          p.path_count ? `Changed on ${p.branch}:\n${listed(p.paths, p.path_count)}` : null,
          notFetched(p),
        ),
        group: "commits",
      },
    ),
  build_rebase_conflict: (p) =>
    note(
      "fix",
      "bad",
      `${p.branch} has changes that conflict with those of the build in ${plural(p.path_count ?? 0, "file")}`,
      { detail: lines(listed(p.paths, p.path_count), notFetched(p)), group: "errors" },
    ),
  build_plan_updated: (p) =>
    note("plan", "accent", `Plan with ${plural(p.steps?.length ?? 0, "step")}`, {
      detail: p.steps?.map((step, index) => `${index + 1}. ${step}`).join("\n"),
      group: "agents",
    }),
  build_task_done: (p) => note("task", "good", `Task ${p.task} is done`, { group: "agents" }),
  build_task_dropped: (p) =>
    note("task", "waiting", `Task ${p.task} was dropped`, {
      detail: p.reason ?? undefined,
      group: "agents",
    }),
  build_phase_already_done: (p) =>
    note("task", "waiting", "Declared as already done", {
      detail: p.reason ?? undefined,
      group: "agents",
    }),
  build_phase_retry_requested: (p) =>
    note("retry", "neutral", `${actorName(p.by)} requested to retry phase ${p.phase}`, {
      detail: p.reason ?? undefined,
    }),
  build_phase_restarted: (p) =>
    note("retry", "accent", `Phase ${p.phase} begins again`, { detail: savedAt(p) }),
  build_phase_skip_requested: (p) =>
    note("stop", "neutral", `${actorName(p.by)} requested to skip phase ${p.phase}`, {
      detail: p.reason ?? undefined,
    }),
  build_phase_skipped: (p) =>
    note("stop", "waiting", `Phase ${p.phase} was skipped${because(p.reason)}`, {
      detail: savedAt(p),
    }),
  build_gates_requested: (p) =>
    note("check", "neutral", `${actorName(p.by)} requested to run the gates`, { group: "gates" }),
  build_error_fix_requested: (p) =>
    note("fix", "neutral", `${actorName(p.by)} requested to fix an error`, { group: "errors" }),
  build_mode_switched: (p) =>
    note("dot", "neutral", p.mode === "plan" ? "Planning (read-only)" : "Executing the plan", {
      group: "agents",
      internal: true,
    }),
  build_file_changed: (p) =>
    note(
      "file",
      "neutral",
      `${p.operation === "created" ? "New file" : p.operation === "deleted" ? "Deleted" : "Changed"} ${p.path}`,
      {
        detail: `+${p.insertions ?? 0} −${p.deletions ?? 0}`,
        group: "agents",
        internal: true,
      },
    ),
  build_context_compacted: (p) =>
    note(
      "dot",
      "neutral",
      `Compacted the conversation: ${formatCompact(p.before ?? 0)} → ${formatCompact(p.after ?? 0)} tokens`,
      { group: "agents", internal: true },
    ),
  build_agent_finished: (p) => outcomeNote(p),
  build_criterion_checked: (p) =>
    note(
      "check",
      p.result === "passed" ? "good" : p.result === "failed" ? "bad" : "waiting",
      `Criterion ${p.result}: ${p.text ?? ""}`,
      { detail: typeof p.evidence === "string" ? p.evidence : undefined, group: "gates" },
    ),
  build_criterion_confirmed: (p) =>
    note(
      "check",
      p.result === "confirmed" ? "good" : "bad",
      `${actorName(p.by)} ${p.result} exit criterion ${p.index} of phase ${p.phase}`,
      { detail: p.note ?? undefined, group: "gates" },
    ),
  build_weakened_test_cleared: (p) =>
    note("check", "neutral", `${actorName(p.by)} accepted a weakened test`, {
      detail: p.reason ?? undefined,
      group: "gates",
    }),
  build_finding_dismissed: (p) =>
    note("check", "neutral", `${actorName(p.by)} dismissed the finding ${p.id}`, {
      detail: p.reason ?? undefined,
      group: "gates",
    }),
  build_requirement_changed: (p) =>
    note("check", "neutral", `${actorName(p.by)} ${p.change} the requirement ${p.id}`, {
      detail: p.text,
    }),
  build_preflight_started: (p) =>
    note("check", "neutral", `Running the gates on ${shortSha(p.baseline_sha ?? "")}`, {
      detail: "Before the first phase, to find out whether they can run",
      group: "gates",
      internal: true,
    }),
  build_gates_detected: (p) =>
    note("check", "accent", `Detected ${plural(p.gates?.length ?? 0, "new gate")}`, {
      detail: p.gates?.map(proposal).join("\n"),
      group: "gates",
    }),
  build_gates_changed: (p) =>
    note(
      "check",
      "waiting",
      `${actorName(p.by)} resumed the build with ${plural(p.changes?.length ?? 0, "changed gate")}`,
      { detail: p.changes?.map(gateChangeText).join("\n"), group: "gates" },
    ),
  build_tests_compared: () =>
    note("check", "neutral", "Compared the tests with those before the build", {
      group: "gates",
      internal: true,
    }),
  build_red_check_finished: (p) => {
    const passed = (p.named_tests ?? []).filter(({ outcome }) => outcome === "passed");
    return note(
      "check",
      "neutral",
      `Ran the gate ${p.gate ?? ""} with the new tests on ${shortSha(p.base_sha ?? "")}, without the change`,
      {
        detail: passed.length
          ? `Passed there: ${passed.map(({ name }) => name).join(", ")}`
          : "No test of an exit criterion passed there",
        group: "gates",
        internal: true,
      },
    );
  },
  build_mutants_tested: (p) => {
    const mutants = (p.mutants ?? []).filter(({ outcome }) => outcome !== "not_built");
    const alive = mutants.filter(({ outcome }) => outcome === "survived");
    return note(
      "check",
      "neutral",
      `The tests noticed ${mutants.length - alive.length} of ${plural(mutants.length, "small change")} to the new code`,
      {
        detail: alive
          .map(({ path, line, before, after }) => `${path}:${line} ${before} → ${after}`)
          .join("\n"),
        group: "gates",
        internal: true,
      },
    );
  },
  build_fix_attempt_started: (p) =>
    note("fix", "waiting", `Fix attempt ${p.attempt}`, {
      detail: p.causes?.join("\n"),
      group: "errors",
    }),
  build_fix_attempt_result: (p) =>
    note(
      "fix",
      p.passed ? "good" : "bad",
      `Fix attempt ${p.attempt} ${fixResult(p)}${because(p.fix_summary)}`,
      {
        group: "errors",
      },
    ),
  build_retry_scheduled: (p) =>
    note("retry", "waiting", `Retry ${p.attempt} of ${p.max_attempts}`, {
      group: "errors",
    }),
  build_log: (p) =>
    note(
      "log",
      p.level === "error" ? "bad" : p.level === "warning" ? "waiting" : "neutral",
      p.message ?? "",
      {
        group: p.level === "error" ? "errors" : undefined,
        internal: p.level !== "error" && p.level !== "warning",
      },
    ),
  build_contract_read: (p) =>
    note("file", "neutral", `Read the contract ${contractName(p.contract ?? "")}`, {
      detail: contractEdition(p),
      group: "agents",
      internal: true,
    }),
  build_branch_status: () => null,
  build_deliverables_checked: () => null,
  build_iteration_started: () => null,
  build_iteration_finished: () => null,
};

function proposal(gate: unknown): string {
  const { name, command, reason } = gate as { name: string; command: string; reason: string };
  return `${name}: ${command} (${reason})`;
}

function outcomeNote({ outcome, findings, signed_off }: Payload): Note | null {
  if (outcome?.result === "stopped") {
    return note("blocked", "waiting", `Stopped: ${outcome.code}${because(outcome.text)}`, {
      group: "agents",
    });
  }
  if (outcome?.result === "doom_loop") {
    return note("blocked", "bad", `Stopped after repeating the same ${outcome.tool} call`, {
      group: "agents",
    });
  }
  if (outcome?.result === "failed") {
    return note("blocked", "bad", `Failed${because(outcome.message)}`, { group: "agents" });
  }
  if (findings && findings.length > 0) {
    const lines = findings.map((finding) =>
      [finding.id, finding.severity, finding.place, finding.text].filter(Boolean).join(" · "),
    );
    return note("check", "waiting", `The auditor reported ${plural(findings.length, "finding")}`, {
      detail: lines.join("\n"),
      group: "agents",
    });
  }
  return signed_off
    ? note("check", "good", "The auditor signed off the phase", { group: "agents" })
    : null;
}

/** The line for an event, or null if it is not displayed. */
export function noteOf({ type, payload }: FeedEvent): Note | null {
  const tell = NOTES[type];
  if (tell) return tell(payload);
  // Unknown types are displayed by their name.
  return note("dot", "neutral", type.replace(/^build_/, "").replaceAll("_", " "), {
    internal: true,
  });
}
