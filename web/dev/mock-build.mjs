// A build of the mock: its journal, its state, and its subscribers.
import { createHash, randomUUID } from "node:crypto";
import { PHASES, script, sha } from "./script.mjs";

export class MockBuild {
  constructor(project, { speed = 1, me, number }) {
    this.id = `0198${randomUUID().slice(4)}`;
    this.me = me;
    this.speed = speed;
    this.events = [];
    this.listeners = new Set();
    this.errors = new Map();
    this.commits = [];
    this.questions = [];
    this.waiting = null;
    this.paused = false;
    this.filled = 0;
    this.build = {
      id: this.id,
      number,
      project_id: project.id,
      project_name: project.name,
      project_slug: project.slug,
      follows_number: null,
      status: "queued",
      verdict: null,
      branch: `forge/build-${number}`,
      created_at: now(),
      started_at: null,
      finished_at: null,
      phases_done: 0,
      phase_count: PHASES.length,
      open_errors: 0,
      resolved_errors: 0,
      open_questions: 0,
      baseline_sha: null,
      head_sha: null,
      branch_status: null,
      commit_count: 0,
      attempt: 1,
      node: "node-1",
      model: "offline",
      sandbox_level: null,
      executor: "builtin",
      head_seq: 0,
      head_hash: "",
      working_ms: 0,
      phases: PHASES.map((phase) => ({ ...phase, status: "pending", plan: [], skipped: null })),
      budgets: {
        iterations: 10,
        minutes: 120,
        tokens: 500000,
        usd_micros: 5000000,
        clarifications: 10,
      },
      spent: {
        iterations: 0,
        working_ms: 0,
        tokens_in: 0,
        tokens_out: 0,
        usd_micros: 0,
        clarifications: 0,
      },
      gates: [
        { name: "test", command: "node --test", timeout_s: 300, required: true, network: false },
      ],
      gates_detected: false,
      baseline_gates: {},
      baseline_branch: null,
      review: null,
      block_explanation: null,
      title: null,
      description: null,
      estimate: null,
      exploration: "auto",
      gates_requested: false,
      models: {},
      pinned_at: null,
      plan_approval: "never",
      phase_executors: [],
      warned_limits: [],
      follows: null,
      contracts_read: [],
      open_clarifications: [],
      blocked_reason: null,
      blocked_text: null,
      seal: null,
    };
    this.append("build_queued", { origin: "demo", model: "offline" });
  }

  append(type, payload) {
    const seq = this.events.length + 1;
    const event = { seq, build_id: this.id, at: now(), type, payload };
    event.hash = createHash("sha256")
      .update(`${this.build.head_hash}${JSON.stringify(event)}`)
      .digest("hex");
    this.events.push(event);
    fold(this, event);
    for (const listener of this.listeners) listener({ op: "event", event });
    return seq;
  }

  preview(kind, payload) {
    for (const listener of this.listeners)
      listener({ op: "preview", build_id: this.id, kind, payload });
  }

  async play() {
    const ids = { error: randomUUID(), question: randomUUID(), now };
    for (const [type, payload, pause] of script(this.id, ids)) {
      if (type === "build_agent_turn") await this.type(payload);
      else await wait(pause / this.speed);
      this.build.working_ms += pause;
      while (this.paused) await wait(50);
      if (this.build.status === "abandoned") return;
      if (type !== "ask") this.append(type, payload);
      else await this.ask(payload);
    }
  }

  async type({ run_id, text }) {
    for (const word of text.split(/(?<= )/)) {
      this.preview("text", { run_id, text: word });
      await wait(40 / this.speed);
    }
  }

  ask(payload) {
    const expires_at = new Date(Date.now() + 600_000).toISOString();
    this.append("build_clarification_request", { ...payload, expires_at });
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  answer({ question_id, answer, skip }) {
    const question = this.build.open_clarifications.find(({ id }) => id === question_id);
    if (!question) return null;
    this.append("build_clarification_resolved", {
      question_id,
      answer: skip ? null : answer,
      how: skip ? "skipped" : "answered",
      by: this.me,
    });
    this.waiting?.();
    return question;
  }

  /** Fills the journal up to `count` events, to test long journals. */
  fill(count) {
    if (this.build.status === "queued")
      this.append("build_started", {
        node: "node-1",
        attempt: 1,
        baseline_sha: sha(1),
        branch: this.build.branch,
      });
    for (; this.events.length < count; this.filled++) {
      const n = this.filled;
      const call_id = `c${n}`;
      if (n % 400 === 0)
        this.append("build_phase_started", { phase: n / 400, title: `Part ${n / 400}` });
      if (n % 25 === 0)
        this.append("build_agent_turn", {
          run_id: "r",
          text: `Step ${n}: reading on.`,
          tokens_in: 10,
          tokens_out: 5,
        });
      this.append("build_tool_call_started", {
        run_id: "r",
        call_id,
        tool: "read_file",
        input: { path: `src/part/file-${n}.js` },
      });
      this.append("build_tool_call_finished", {
        run_id: "r",
        call_id,
        tool: "read_file",
        ok: true,
        output: `// file ${n}`,
        duration_ms: n % 40,
      });
    }
  }

  /** Adds at least `count` events at the given rate per second; returns the file of the last one. */
  async pour(count, perSecond) {
    const [from, begun] = [this.events.length, performance.now()];
    for (let due = 0; due < count; ) {
      await wait(10);
      due = Math.min(count, Math.ceil(((performance.now() - begun) / 1000) * perSecond));
      this.fill(from + due);
    }
    return `src/part/file-${this.filled - 1}.js`;
  }
}

export const now = () => new Date().toISOString();
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function fold(mock, { type, payload, seq, at, hash }) {
  const { build } = mock;
  build.head_seq = seq;
  build.head_hash = hash;
  const phase = build.phases.find(({ number }) => number === payload.phase);
  const to = {
    build_started: "running",
    build_unpaused: "running",
    build_paused: "paused",
    build_sealing: "sealing",
    build_sealed: "sealed",
    build_abandoned: "abandoned",
  }[type];
  if (to) build.status = to;
  switch (type) {
    case "build_started":
      Object.assign(build, {
        started_at: at,
        baseline_sha: payload.baseline_sha,
        branch_status: "active",
      });
      break;
    case "build_phase_started":
      if (phase) phase.status = "running";
      break;
    case "build_plan_updated":
      phase.plan = payload.steps.map((text) => ({ text, done: false }));
      break;
    case "build_task_done":
      phase.plan[payload.task - 1].done = true;
      break;
    case "build_phase_complete":
      phase.status = "complete";
      build.phases_done += 1;
      break;
    case "build_agent_turn":
      build.spent.tokens_in += payload.tokens_in;
      build.spent.tokens_out += payload.tokens_out;
      break;
    case "build_contract_read":
      build.contracts_read.push(payload);
      break;
    case "build_gate_finished":
      build.sandbox_level = payload.sandbox ?? build.sandbox_level;
      break;
    case "build_commit_created":
      build.commit_count += 1;
      build.head_sha = payload.sha;
      mock.commits.unshift({ ...payload, at, author_name: "ForgeGuard Bot" });
      break;
    case "build_error_tracked":
      mock.errors.set(payload.id, { ...payload });
      break;
    case "build_error_resolved":
      Object.assign(mock.errors.get(payload.error_id), {
        resolved: true,
        resolved_at: at,
        resolution_method: payload.method,
        resolution_summary: payload.summary,
      });
      break;
    case "build_error_reopened":
      Object.assign(mock.errors.get(payload.error_id), {
        resolved: false,
        resolved_at: null,
        resolution_method: null,
        resolution_summary: null,
      });
      break;
    case "build_clarification_request":
      build.status = "awaiting_input";
      build.open_clarifications.push({
        id: payload.question_id,
        asked_at: at,
        status: "open",
        multiple: false,
        answer: null,
        answered_by: null,
        resolved_at: null,
        ...payload,
      });
      break;
    case "build_clarification_resolved":
      build.status = "running";
      build.open_clarifications = [];
      break;
    case "build_sealed":
      Object.assign(build, {
        verdict: payload.verdict,
        finished_at: at,
        branch_status: "sealed",
        seal: payload,
      });
      break;
    case "build_abandoned":
      Object.assign(build, {
        finished_at: at,
        branch_status: "abandoned",
        open_clarifications: [],
      });
      mock.waiting?.();
      break;
  }
  build.open_errors = [...mock.errors.values()].filter((error) => !error.resolved).length;
  build.resolved_errors = mock.errors.size - build.open_errors;
  build.open_questions = build.open_clarifications.length;
}
