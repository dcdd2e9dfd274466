// Updates the query cache from events: what an event contains is written, everything else is refetched.

import { hashKey, type QueryCacheNotifyEvent, type QueryClient } from "@tanstack/react-query";
import type { Build, Schemas } from "@/lib/api";
import { isKeyOf, keysOf } from "@/lib/keys-of";
import { keys } from "@/lib/query-keys";
import { isWorking } from "../build-status";
import type { FeedEvent } from "./event";
import { changesBuild, patchBuild } from "./patch-build";

export type EventType = Schemas["EventBody"]["type"];

type Topic =
  | "build"
  | "usage"
  | "runs"
  | "errors"
  | "commits"
  | "diff"
  | "project"
  | "questions"
  | "requirements"
  | "openItems"
  | "reviews";

/** The queries that each event invalidates. */
const TOPICS: Record<EventType, readonly Topic[]> = {
  build_queued: ["build", "project"],
  build_started: ["build", "project"],
  build_resumed: ["build", "project"],
  build_clock_corrected: ["build"],
  build_budget_warning: ["build"],
  build_pause_requested: ["build"],
  build_paused: ["build", "project", "questions"],
  build_unpaused: ["build", "project", "questions"],
  build_resume_requested: ["build"],
  build_blocked: ["build", "project"],
  build_cancel_requested: ["build"],
  build_abandoned: ["build", "project", "questions"],
  build_sealing: ["build", "project"],
  build_sealed: ["build", "project", "commits", "diff", "errors", "reviews", "requirements"],
  build_interjected: ["build"],
  build_branch_status: ["build"],
  build_commit_created: ["build", "commits", "diff", "requirements"],
  build_pushed: ["build"],
  build_base_compared: ["build", "commits", "diff"],
  build_base_merged: ["build", "commits", "diff", "errors"],
  build_rebase_conflict: ["build", "diff", "errors"],
  build_phase_started: ["build"],
  build_plan_updated: ["build"],
  build_task_done: ["build"],
  build_task_dropped: ["build"],
  build_phase_already_done: ["build"],
  build_deliverables_checked: ["build"],
  build_phase_complete: ["build", "project", "errors"],
  build_phase_retry_requested: ["build"],
  build_phase_restarted: ["build", "project", "diff", "openItems"],
  build_phase_skip_requested: ["build"],
  build_phase_skipped: ["build", "project", "diff", "openItems", "requirements"],
  build_gates_requested: ["build"],
  build_requested_gate_finished: ["build"],
  build_error_fix_requested: ["build"],
  build_mode_switched: ["build"],
  build_iteration_started: ["build"],
  build_iteration_finished: ["build"],
  build_agent_started: ["build", "runs"],
  build_agent_turn: ["build", "usage", "runs"],
  build_tool_call_started: [],
  build_tool_call_finished: ["runs"],
  build_file_changed: ["diff"],
  build_contract_read: ["build", "usage"],
  build_context_compacted: ["build", "usage"],
  build_agent_finished: ["openItems", "runs"],
  build_preflight_started: ["build"],
  build_preflight_finished: ["build"],
  build_gates_detected: ["build"],
  build_gates_changed: ["build"],
  build_gate_started: ["build"],
  build_gate_finished: ["build", "requirements"],
  build_gate_out_of_resources: ["build", "project"],
  build_criterion_checked: ["build", "requirements"],
  build_criterion_confirmed: ["requirements", "openItems"],
  build_weakened_test_cleared: ["openItems"],
  build_finding_dismissed: ["openItems"],
  build_requirement_changed: ["requirements"],
  build_tests_compared: [],
  build_red_check_finished: ["build", "requirements"],
  build_mutants_tested: ["build"],
  build_fix_attempt_started: ["build"],
  build_fix_attempt_result: ["build"],
  build_retry_scheduled: ["build", "project"],
  build_error_tracked: ["build", "errors"],
  build_error_resolved: ["build", "errors"],
  build_error_reopened: ["build", "errors"],
  build_clarification_request: ["build", "project", "questions", "openItems"],
  build_clarification_resolved: ["build", "project", "questions"],
  build_log: [],
};

/** A newer server may send unknown types. */
const topicsOf = ({ type }: FeedEvent): readonly Topic[] =>
  isKeyOf(TOPICS, type) ? TOPICS[type] : ["build"];

const REFETCH_DELAY_MS: Record<Topic, number> = {
  build: 300,
  usage: 800,
  runs: 1_000,
  errors: 200,
  commits: 400,
  diff: 600,
  project: 400,
  questions: 100,
  requirements: 600,
  openItems: 200,
  reviews: 400,
};

export interface FeedCache {
  /** Called with the newest events whenever the feed opens, initially or after a reset. */
  open: (events: FeedEvent[]) => void;
  /** Called with each batch of new events, in order. */
  receive: (events: FeedEvent[]) => void;
  /** Subscribes to query results; returns the unsubscribe function. */
  connect: () => () => void;
}

export function createFeedCache(
  client: QueryClient,
  buildId: string,
  projectId: string,
): FeedCache {
  const buildKey = keys.build(buildId);
  const scheduled = new Map<Topic, ReturnType<typeof setTimeout>>();
  /** Changes of the build that are not confirmed by a query result yet. */
  let unconfirmed: FeedEvent[] = [];
  let hasOpened = false;

  function patch() {
    const state = client.getQueryState<Build>(buildKey);
    if (!state?.data) return;
    const build = state.data;
    const patched = unconfirmed.filter(({ seq }) => seq > build.head_seq).reduce(patchBuild, build);
    // Unchanged data is not written: it would count as fresh and rerender the page.
    if (patched === build) return;
    const now = Date.now();
    const elapsed = isWorking(build.status) ? now - state.dataUpdatedAt : 0;
    client.setQueryData<Build>(
      buildKey,
      { ...patched, working_ms: build.working_ms + elapsed },
      { updatedAt: now },
    );
  }

  /** A query result may be older than events that arrived since its request. */
  function onCacheChange(change: QueryCacheNotifyEvent) {
    if (change.type !== "updated" || change.action.type !== "success" || change.action.manual)
      return;
    if (change.query.queryHash !== hashKey(buildKey)) return;
    const { head_seq }: Build = change.query.state.data;
    unconfirmed = unconfirmed.filter(({ seq }) => seq > head_seq);
    patch();
  }

  function record(events: FeedEvent[]) {
    const changes = events.filter(changesBuild);
    if (changes.length === 0) return;
    unconfirmed.push(...changes);
    patch();
  }

  const invalidate: Record<Topic, () => void> = {
    build: () => client.invalidateQueries({ queryKey: buildKey }),
    usage: () => client.invalidateQueries({ queryKey: keys.usage(buildId) }),
    runs: () => client.invalidateQueries({ queryKey: keys.runs(buildId) }),
    errors: () => client.invalidateQueries({ queryKey: keys.errors(buildId) }),
    openItems: () => client.invalidateQueries({ queryKey: keys.openItems(buildId) }),
    commits: () => client.invalidateQueries({ queryKey: keys.commits(buildId) }),
    diff: () => client.invalidateQueries({ queryKey: keys.diff(buildId) }),
    project: () => {
      client.invalidateQueries({ queryKey: keys.project(projectId), exact: true });
      client.invalidateQueries({ queryKey: keys.projectBuilds(projectId) });
      client.invalidateQueries({ queryKey: keys.projects });
      client.invalidateQueries({ queryKey: keys.inbox });
    },
    questions: () => {
      client.invalidateQueries({ queryKey: keys.questions(buildId) });
      client.invalidateQueries({ queryKey: keys.openQuestions });
      client.invalidateQueries({ queryKey: keys.inbox });
      client.invalidateQueries({ queryKey: keys.answers(projectId) });
    },
    reviews: () => client.invalidateQueries({ queryKey: keys.reviews }),
    requirements: () => {
      client.invalidateQueries({ queryKey: keys.buildRequirements(buildId) });
      client.invalidateQueries({ queryKey: keys.requirements(projectId) });
    },
  };

  function schedule(topic: Topic) {
    if (scheduled.has(topic)) return;
    const timer = setTimeout(() => {
      scheduled.delete(topic);
      invalidate[topic]();
    }, REFETCH_DELAY_MS[topic]);
    scheduled.set(topic, timer);
  }

  return {
    open(events) {
      record(events);
      // After a reset, any event may have been missed.
      if (hasOpened) for (const topic of keysOf(invalidate)) schedule(topic);
      hasOpened = true;
    },
    receive(events) {
      record(events);
      for (const event of events) for (const topic of topicsOf(event)) schedule(topic);
    },
    connect: () => client.getQueryCache().subscribe(onCacheChange),
  };
}
