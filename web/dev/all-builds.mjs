// The builds of all projects and comparisons of two builds, as the mock server shows them.

const LIMITS = { budget_tokens: 2_000_000, budget_usd_micros: 5_000_000 };
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();

const heartbeat = (step, progress_percent, memory_bytes = 0, cpu_percent = 0) => ({
  step,
  progress_percent,
  memory_bytes,
  cpu_percent,
});

/** Samples of each group: number, title, group, what it waits for, and other fields. */
const SAMPLES = [
  [
    7,
    "Import invoices from a mailbox",
    "needs_answer",
    "answer",
    { status: "awaiting_input", phases_done: 1, open_questions: 1 },
  ],
  [
    4,
    "Check totals against the ledger",
    "needs_answer",
    "resume",
    {
      status: "blocked",
      blocked_reason: "usd",
      blocked_text: "Cost limit reached.",
      phases_done: 2,
      cost: 4_970_000,
    },
  ],
  [
    12,
    "Due dates",
    "running",
    "model",
    {
      status: "running",
      phases_done: 2,
      heartbeat: heartbeat("Implementation, step 2 of 5", 55),
    },
  ],
  [
    3,
    "A title that is long enough to be cut off on every screen that is not very wide, and then some",
    "running",
    "commands",
    {
      status: "sealing",
      phases_done: 4,
      heartbeat: heartbeat("Final gates", 95, 640_000_000, 178),
    },
  ],
  [
    2,
    null,
    "running",
    "retry",
    {
      status: "retrying",
      phases_done: 0,
      budgets: { budget_tokens: null, budget_usd_micros: null },
    },
  ],
  [5, "Reminders by email", "queued", "worker", { status: "queued", phases_done: 0, cost: 0 }],
  [
    11,
    "Sort by priority",
    "in_review",
    "review",
    { status: "sealed", verdict: "CERTIFIED", review: "waiting", phases_done: 4 },
  ],
  [
    10,
    "Archive old tasks",
    "in_review",
    "follow_up",
    { status: "sealed", verdict: "CONDITIONAL", review: "changes_requested", phases_done: 4 },
  ],
  [
    9,
    "First version",
    "finished",
    null,
    { status: "sealed", verdict: "CERTIFIED", review: "approved", phases_done: 4 },
  ],
  [8, "An experiment", "finished", null, { status: "abandoned", phases_done: 1 }],
  [
    1,
    "Built by an earlier version",
    "finished",
    null,
    { status: "sealed", verdict: "FLAGGED", review: "approved", phases_done: 4, used: null },
  ],
];

const sample = (project, [number, title, group, waits_for, more], place) => {
  const { cost = 420_000 + place * 310_000, budgets = LIMITS, ...rest } = more;
  const ended = group === "in_review" || group === "finished";
  return {
    id: `0198eeee-0000-7000-8000-0000000000${String(number).padStart(2, "0")}`,
    number,
    title,
    project_id: project.id,
    project_name: project.name,
    project_slug: project.slug,
    group,
    waits_for,
    verdict: null,
    review: null,
    blocked_reason: null,
    blocked_text: null,
    open_questions: 0,
    open_errors: 0,
    phase_count: 4,
    created_at: at(30 + place * 47),
    finished_at: ended ? at(place * 47) : null,
    heartbeat: null,
    used: {
      working_ms: cost === 0 ? 0 : 260_000 + place * 431_000,
      is_working: rest.status === "running" || rest.status === "sealing",
      tokens: Math.round(cost / 3),
      usd_micros: cost,
      ...budgets,
    },
    ...rest,
  };
};

export function allBuilds(projects, query) {
  const all = SAMPLES.map((row, place) => sample(projects[place % projects.length], row, place));
  const of = projects.find(({ id, slug }) => [id, slug].includes(query.get("project")));
  const visible = all.filter(({ project_id }) => !of || project_id === of.id);
  const counts = { needs_answer: 0, running: 0, queued: 0, in_review: 0, finished: 0 };
  for (const { group } of visible) counts[group] += 1;
  const chosen = visible.filter(({ group }) => !query.get("group") || group === query.get("group"));
  const from = Number(query.get("after") ?? 0);
  const end = from + 8;
  const next = chosen.length > end ? String(end) : null;
  return { items: chosen.slice(from, end), next, counts };
}

const error = (n, message, resolved) => ({
  id: `0198ffff-0000-7000-8000-00000000000${n}`,
  build_id: "",
  fingerprint: `fp-${n}`,
  first_seen: at(60),
  last_seen: at(50),
  occurrence_count: n,
  phase: "Phase 1: Import",
  file_path: "src/core/sort.js",
  source: "gate:test",
  severity: "error",
  message,
  resolved,
  resolved_at: resolved ? at(40) : null,
  resolution_method: resolved ? "auto-fix" : null,
  resolution_summary: null,
  regression: false,
});

/** Two builds of the mock; null if one of them does not exist. */
export function comparison(builds, query) {
  const of = (name) => builds.find(({ number }) => String(number) === query.get(name));
  const [from, to] = [of("from"), of("to")];
  if (!from || !to) return null;
  const compared = (build, replies) => ({
    ...build,
    score: build.seal?.score ?? null,
    replies,
    error_count: build.open_errors + build.resolved_errors,
  });
  return {
    from: compared(from, 31),
    to: compared(to, 24),
    errors: {
      new: [error(1, "TypeError: due is not a date", false)],
      new_count: 1,
      gone: [
        error(2, "AssertionError: expected 3 tasks, got 2", true),
        error(3, "SyntaxError: unexpected token in src/cli.js", true),
      ],
      gone_count: 2,
      same: [error(4, "Lint: unused variable `priority`", true)],
      same_count: 1,
    },
    requirements: [
      { id: "R-1", text: "Tasks can be added from the command line.", from: "holds", to: "holds" },
      { id: "R-2", text: "Tasks are sorted by `due` date.", from: "broken", to: "holds" },
      { id: "R-3", text: "Overdue tasks come first.", from: null, to: "open" },
      { id: "R-4", text: "Tasks can be exported as CSV.", from: "holds", to: null },
    ],
  };
}
