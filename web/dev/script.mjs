// The events of a scripted build in order.
// Each step is [type, payload, delay in ms before it]; "ask" waits for the answer to its question.
const sha = (n) =>
  Array.from({ length: 40 }, (_, i) => "0123456789abcdef"[(n * 7 + i * 11) % 16]).join("");
const forge = { kind: "forge" };
let calls = 0;

const agent = (run, role, task, phase) => [
  "build_agent_started",
  { run_id: run, role, task, phase, model: "offline" },
  200,
];
const turn = (run, text, tokens = 900) => [
  "build_agent_turn",
  {
    run_id: run,
    text,
    tokens_in: tokens,
    tokens_out: 180,
    cache_read: 0,
    cache_write: 0,
    cost_usd_micros: 0,
    interjections_seen: 0,
  },
  700,
];
const done = (run, more = {}) => [
  "build_agent_finished",
  {
    run_id: run,
    outcome: { result: "completed" },
    summary: "",
    findings: [],
    signed_off: false,
    ...more,
  },
  150,
];

function tool(run, name, input, output, { ok = true, ms = 14, changed } = {}) {
  const call_id = `call_${++calls}`;
  const steps = [["build_tool_call_started", { run_id: run, call_id, tool: name, input }, 250]];
  if (changed)
    steps.push([
      "build_file_changed",
      { run_id: run, operation: "modified", deletions: 0, ...changed },
      40,
    ]);
  steps.push([
    "build_tool_call_finished",
    { run_id: run, call_id, tool: name, ok, output, duration_ms: ms },
    120,
  ]);
  return steps;
}

function gate(name, command, phase, passed, output, ms, n) {
  const both = { gate: name, command, phase };
  return [
    ["build_gate_started", both, 200],
    [
      "build_gate_finished",
      {
        ...both,
        required: true,
        passed,
        exit_code: command ? (passed ? 0 : 1) : null,
        duration_ms: ms,
        output,
        output_sha256: sha(n),
        head_sha: sha(3),
        sandbox: command ? "landlock" : null,
      },
      Math.min(ms, 1500),
    ],
  ];
}

function contract(run, role, type) {
  const [begun, finished] = tool(
    run,
    "forge_get_project_contract",
    { contract_type: type },
    `# ${type}\n\nThe text of the contract…`,
  );
  const read = { run_id: run, role, contract: type, version: 1, source: "snapshot" };
  return [begun, ["build_contract_read", read, 30], finished];
}

const commit = (n, title, phase, files, insertions, deletions) => [
  [
    "build_commit_created",
    { sha: sha(n), title, author_kind: "forge", files, insertions, deletions, phase },
    300,
  ],
  ["build_pushed", { sha: sha(n), remote: "hosted" }, 100],
];

const FAILING = `TAP version 13
# Subtest: overdue tasks come first
not ok 3 - overdue tasks come first
  ---
  error: 'Expected values to be strictly deep-equal'
  expected: [ 'pay rent', 'water plants' ]
  actual: [ 'water plants', 'pay rent' ]
  at: src/sort.js:14:9
  ...
# tests 9
# pass 8
# fail 1`;

export const PHASES = [
  { number: 0, title: "Task list core" },
  { number: 1, title: "Command line and reports" },
];

export function script(buildId, ids) {
  const error = (occurrence_count, resolved) => ({
    id: ids.error,
    build_id: buildId,
    fingerprint: "9f2c7a6e11d0b3c4",
    first_seen: ids.now(),
    last_seen: ids.now(),
    occurrence_count,
    phase: "0",
    file_path: "src/sort.js",
    source: "gate:test",
    severity: "error",
    message: "overdue tasks come first: Expected values to be strictly deep-equal",
    resolved,
    resolved_at: null,
    resolution_method: null,
    resolution_summary: null,
    regression: false,
  });
  return [
    [
      "build_started",
      { node: "node-1", attempt: 1, baseline_sha: sha(1), branch: `forge/build-${buildId}` },
      600,
    ],
    [
      "build_branch_status",
      {
        branch: `forge/build-${buildId}`,
        baseline_sha: sha(1),
        head_sha: sha(1),
        commit_count: 0,
        status: "active",
      },
      50,
    ],
    ["build_phase_started", { phase: 0, title: PHASES[0].title }, 300],
    agent("r1", "scout", "scout", 0),
    turn("r1", "I will look at what is there before anyone changes it."),
    ...tool("r1", "list_directory", { path: "." }, "README.md\npackage.json\nsrc/\ntest/"),
    ...tool(
      "r1",
      "read_file",
      { path: "package.json" },
      '{\n  "name": "taskflow",\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}',
    ),
    ...tool(
      "r1",
      "search_code",
      { pattern: "export function" },
      "src/store.js:4: export function load(path) {",
    ),
    turn(
      "r1",
      "A small Node project with its own test runner and no dependencies. The store exists; sorting and the command line do not.",
    ),
    done("r1"),
    ["build_mode_switched", { phase: 0, mode: "plan", why: "The phase begins with a plan." }, 60],
    agent("r2", "coder", "plan", 0),
    ...contract("r2", "coder", "blueprint"),
    ...contract("r2", "coder", "boundaries"),
    ...tool("r2", "forge_get_phase_window", { phase_number: 0 }, "## Phase 0 — Task list core …"),
    ...tool(
      "r2",
      "forge_ask_clarification",
      { question: "In which order should tasks with the same due date be listed?" },
      "Asked.",
    ),
    [
      "ask",
      {
        question_id: ids.question,
        question: "In which order should tasks with the same due date be listed?",
        context: "The blueprint says “sorted by due date” and nothing about ties.",
        options: ["By priority", "By creation time", "Alphabetically"],
        asked_by: "coder",
        run_id: "r2",
        call_id: "q",
      },
      300,
    ],
    [
      "build_plan_updated",
      {
        phase: 0,
        steps: [
          "Write the task model with validation",
          "Sort by due date, then by priority",
          "Cover both with tests",
          "Describe the commands in the README",
        ],
        gates: ["test"],
      },
      600,
    ],
    done("r2"),
    ["build_mode_switched", { phase: 0, mode: "execute", why: "The plan stands." }, 60],
    ["build_iteration_started", { phase: 0, n: 1 }, 30],
    agent("r3", "coder", "execute", 0),
    turn(
      "r3",
      "The model first: a task has a title, a due date, a priority and a state. Anything else is refused with a message that names the field.",
    ),
    ...tool(
      "r3",
      "write_file",
      {
        path: "src/task.js",
        content: "export function createTask({ title, due, priority = 2 }) {\n  …\n}",
      },
      "Wrote 46 lines.",
      { changed: { path: "src/task.js", operation: "created", insertions: 46 } },
    ),
    ...tool("r3", "check_syntax", { path: "src/task.js" }, "No problem found."),
    ["build_task_done", { phase: 0, task: 1 }, 100],
    ...tool(
      "r3",
      "write_file",
      { path: "src/sort.js", content: "export const byDue = (a, b) => …" },
      "Wrote 21 lines.",
      { changed: { path: "src/sort.js", operation: "created", insertions: 21 } },
    ),
    ["build_task_done", { phase: 0, task: 2 }, 100],
    ...tool(
      "r3",
      "write_file",
      { path: "test/sort.test.js", content: "import test from 'node:test';" },
      "Wrote 58 lines.",
      { changed: { path: "test/sort.test.js", operation: "created", insertions: 58 } },
    ),
    ...tool("r3", "run_tests", { command: "node --test" }, FAILING, { ok: false, ms: 412 }),
    ["build_task_done", { phase: 0, task: 3 }, 100],
    ...tool(
      "r3",
      "edit_file",
      { path: "README.md", old: "## Usage", new: "## Usage\n\n    taskflow list" },
      "Edited 1 place.",
      { changed: { path: "README.md", insertions: 9, deletions: 2 } },
    ),
    ["build_task_done", { phase: 0, task: 4 }, 100],
    done("r3"),
    ...gate("validate", "", 0, true, "4 files parse; no conflict markers, no secrets.", 22, 21),
    ...gate("scope", "", 0, true, "Every changed path is inside the phase's scope.", 6, 22),
    ...gate("test", "node --test", 0, false, FAILING, 430, 23),
    ["build_error_tracked", error(1, false), 80],
    ["build_error_tracked", { ...error(2, false) }, 200],
    ["build_fix_attempt_started", { phase: 0, attempt: 1, causes: ["gate test: exit 1"] }, 200],
    agent("r4", "fixer", "fix", 0),
    ...contract("r4", "fixer", "blueprint"),
    turn("r4", "The comparison sorts descending: the two operands are the wrong way round."),
    ...tool(
      "r4",
      "edit_file",
      { path: "src/sort.js", old: "b.due - a.due", new: "a.due - b.due" },
      "Edited 1 place.",
      { changed: { path: "src/sort.js", insertions: 1, deletions: 1 } },
    ),
    done("r4", { summary: "Turned the comparison of due dates round" }),
    ...gate("validate", "", 0, true, "4 files parse.", 20, 24),
    ...gate("scope", "", 0, true, "Inside the scope.", 5, 25),
    ...gate("test", "node --test", 0, true, "# tests 9\n# pass 9\n# fail 0", 398, 26),
    [
      "build_fix_attempt_result",
      {
        phase: 0,
        attempt: 1,
        passed: true,
        fix_summary: "Turned the comparison of due dates round",
      },
      80,
    ],
    [
      "build_error_resolved",
      {
        error_id: ids.error,
        method: "auto-fix",
        summary: "Turned the comparison of due dates round",
      },
      60,
    ],
    agent("r5", "auditor", "audit", 0),
    ...contract("r5", "auditor", "physics"),
    done("r5", {
      signed_off: true,
      summary: "The diff keeps to the boundaries, and each criterion has a test.",
    }),
    [
      "build_criterion_checked",
      {
        phase: 0,
        index: 1,
        text: "Overdue tasks are listed first",
        result: "passed",
        evidence: "test/sort.test.js, test 3",
      },
      80,
    ],
    ...commit(3, "[forge] Phase 0: task model, sorting and their tests", 0, 4, 134, 2),
    ["build_iteration_finished", { phase: 0, n: 1, passed: true }, 30],
    [
      "build_phase_complete",
      { phase: 0, deliverables: ["src/task.js", "src/sort.js", "test/sort.test.js"] },
      200,
    ],
    ["build_phase_started", { phase: 1, title: PHASES[1].title }, 300],
    agent("r6", "coder", "execute", 1),
    [
      "build_plan_updated",
      { phase: 1, steps: ["Parse the arguments", "Print the report as a table"], gates: ["test"] },
      300,
    ],
    turn("r6", "Two commands are enough: `list` and `report`. Both read the same store."),
    ...tool(
      "r6",
      "write_file",
      { path: "src/cli.js", content: "#!/usr/bin/env node" },
      "Wrote 72 lines.",
      { changed: { path: "src/cli.js", operation: "created", insertions: 72 } },
    ),
    ["build_task_done", { phase: 1, task: 1 }, 100],
    ...tool(
      "r6",
      "run_command",
      { command: "node src/cli.js report --week" },
      "Task           Due         Priority\npay rent       2026-11-01  high",
      { ms: 88 },
    ),
    ["build_task_done", { phase: 1, task: 2 }, 100],
    done("r6"),
    ...gate("validate", "", 1, true, "6 files parse.", 25, 27),
    ...gate("test", "node --test", 1, true, "# tests 14\n# pass 14\n# fail 0", 455, 28),
    ...commit(4, "[forge] Phase 1: command line and weekly report", 1, 2, 91, 0),
    ["build_phase_complete", { phase: 1, deliverables: ["src/cli.js"] }, 200],
    ["build_sealing", {}, 300],
    ...gate("validate", "", null, true, "6 files parse.", 25, 29),
    ...gate("test", "node --test", null, true, "# tests 14\n# pass 14\n# fail 0", 455, 30),
    ...commit(5, "[forge] sealed — verdict: CERTIFIED", null, 0, 0, 0),
    [
      "build_sealed",
      {
        verdict: "CERTIFIED",
        score: 97,
        seal_commit: sha(5),
        sealed_at: new Date().toISOString(),
        journal_head: sha(9) + sha(8).slice(0, 24),
        evidence: evidence(),
      },
      400,
    ],
  ];
}

function evidence() {
  const clause = (name, ...proofs) => ({
    clause: name,
    standing: "holds",
    proofs: proofs.map((proof) => ({
      standing: "holds",
      commit: null,
      command: null,
      exit_code: null,
      output_sha256: null,
      sandbox: null,
      ...proof,
    })),
  });
  return {
    head_sha: sha(4),
    clauses: [
      clause("phases", { what: "Phase 0 signed off" }, { what: "Phase 1 signed off" }),
      clause(
        "gates",
        { what: "validate", commit: sha(4) },
        {
          what: "test",
          commit: sha(4),
          command: "node --test",
          exit_code: 0,
          output_sha256: sha(30),
          sandbox: "landlock",
        },
      ),
      clause("criteria", { what: "Overdue tasks are listed first" }),
      clause("errors"),
      clause("findings"),
      clause("questions", { what: "One question, answered by a person" }),
    ],
  };
}

export { forge, sha };
