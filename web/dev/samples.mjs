// Sample data besides builds and contracts: diffs, gates, usage.
import { createHash } from "node:crypto";

const contentId = (path) => createHash("sha1").update(path).digest("hex");

export const files = [
  ["README.md", "modified", 9, 2],
  ["src/cli.js", "added", 72, 0],
  ["src/core/sort.js", "modified", 3, 3],
  ["src/core/task.js", "added", 46, 0],
  ["src/legacy/old-sort.js", "deleted", 0, 31],
  ["test/sort.test.js", "added", 58, 0],
].map(([path, status, insertions, deletions]) => ({
  path,
  old_path: null,
  status,
  insertions,
  deletions,
  binary: false,
  content_id: contentId(path),
}));

/** The file of a diff with changes in lines 12 and 61. */
export function file() {
  const lines = Array.from({ length: 90 }, (_, n) => `// line ${n + 1} of the file`);
  lines[11] = "export const byDue = (a, b) => a.due - b.due || b.priority - a.priority;";
  lines[60] = "export default sortTasks;";
  const text = lines.join("\n");
  return { text, size: text.length, binary: false };
}

export function fileDiff(path) {
  const { status } = files.find((file) => file.path === path) ?? files[0];
  const line = (kind, old_line, new_line, ...spans) => ({
    kind,
    old_line,
    new_line,
    spans: spans.map((span) =>
      typeof span === "string" ? { text: span, changed: false } : { text: span[0], changed: true },
    ),
  });
  const added = Array.from({ length: 46 }, (_, n) =>
    line(
      "insert",
      null,
      n + 1,
      `export const step${n} = (task) => task.priority > ${n} ? "high" : "low";`,
    ),
  );
  const mixed = [
    line("context", 11, 11, "/** Overdue tasks come first, then by priority. */"),
    line("delete", 12, null, "export const byDue = (a, b) => ", ["b.due - a.due"], ";"),
    line(
      "insert",
      null,
      12,
      "export const byDue = (a, b) => ",
      ["a.due - b.due || b.priority - a.priority"],
      ";",
    ),
    line("context", 13, 13, ""),
    line("context", 14, 14, "export function sortTasks(tasks) {"),
    line("context", 15, 15, "  return [...tasks].sort(byDue);"),
    line("context", 16, 16, "}"),
  ];
  const hunks =
    status === "modified"
      ? [
          { old_start: 11, new_start: 11, header: "@@ -11,6 +11,6 @@", lines: mixed },
          {
            old_start: 60,
            new_start: 60,
            header: "@@ -60,2 +60,3 @@ export function sortTasks",
            lines: [
              line("context", 60, 60, "}"),
              line("insert", null, 61, "export default sortTasks;"),
            ],
          },
        ]
      : [{ old_start: 0, new_start: 1, header: "@@ -0,0 +1,46 @@", lines: added }];
  return { path, old_path: null, status, binary: false, truncated: false, hunks };
}

/** The changes of a very large build: 500 files of all kinds. */
export const manyFiles = [
  ...Array.from({ length: 496 }, (_, n) => ({
    path: `src/part-${String(n % 20).padStart(2, "0")}/file-${String(n).padStart(3, "0")}.js`,
    old_path: null,
    status: n % 3 ? "modified" : "added",
    insertions: (n * 7) % 90,
    deletions: n % 3 ? n % 11 : 0,
    binary: false,
    content_id: contentId(`${n}`),
  })),
  { path: "assets/logo.png", old_path: null, status: "added", binary: true },
  { path: "assets/sound.bin", old_path: null, status: "modified", binary: true },
  { path: "docs/guide.md", old_path: "docs/manual.md", status: "renamed", binary: false },
  { path: "src/long.js", old_path: null, status: "modified", insertions: 2500, deletions: 2500 },
].map((file) => ({
  insertions: 0,
  deletions: 0,
  binary: false,
  content_id: contentId(file.path),
  ...file,
}));

/** One of the files; `src/long.js` has five thousand lines. */
export function oneOfMany(path) {
  const file = manyFiles.find((each) => each.path === path);
  if (!file) return fileDiff(path);
  const none = { ...file, truncated: false, hunks: [] };
  if (file.binary || file.status === "renamed") return none;
  if (path !== "src/long.js") return { ...fileDiff("src/core/sort.js"), path };
  const lines = Array.from({ length: 2500 }, (_, n) => [
    {
      kind: "delete",
      old_line: n + 1,
      new_line: null,
      spans: [
        { text: `const value${n} = `, changed: false },
        { text: `"old ${n}"`, changed: true },
        { text: ";", changed: false },
      ],
    },
    {
      kind: "insert",
      old_line: null,
      new_line: n + 1,
      spans: [
        { text: `const value${n} = `, changed: false },
        { text: `compute(${n})`, changed: true },
        { text: ";", changed: false },
      ],
    },
  ]).flat();
  const hunks = [{ old_start: 1, new_start: 1, header: "@@ -1,2500 +1,2500 @@", lines }];
  return { ...none, hunks };
}

/** Of every build that is sealed. */
export const runInstructions = {
  path: "README.md",
  text: "List the open tasks, the earliest due date first:\n\n```sh\nnode src/cli.js list\n```\n",
};

export const detectedGates = {
  sha: "3f2a9c4e1b5d7f8091a2b3c4d5e6f708192a3b4c",
  branch: "main",
  items: [
    {
      name: "test",
      command: "npm test",
      timeout_s: 1800,
      required: true,
      network: false,
      reason: "package.json has a script test; package-lock.json says npm",
    },
    {
      name: "lint",
      command: "npm run lint",
      timeout_s: 900,
      required: false,
      network: false,
      reason: "package.json has a script lint; package-lock.json says npm",
    },
  ],
};

/** Usage derived from the build's spending. */
export function usage({ spent, model, contracts_read }) {
  const share = (role, part) => ({
    role,
    model,
    runs: 2,
    turns: Math.round(40 * part),
    tokens_in: Math.round(spent.tokens_in * part * 0.4),
    tokens_out: Math.round(spent.tokens_out * part),
    cache_read: Math.round(spent.tokens_in * part * 0.5),
    cache_write: Math.round(spent.tokens_in * part * 0.1),
    cost_usd_micros: Math.round(spent.usd_micros * part),
  });
  const models = [
    share("scout", 0.2),
    share("coder", 0.5),
    share("auditor", 0.2),
    share("fixer", 0.1),
  ];
  const total = { ...models[0] };
  for (const used of models.slice(1))
    for (const key of Object.keys(used)) if (typeof used[key] === "number") total[key] += used[key];
  const read = contracts_read.map((item) => ({ ...item, tokens: 800, reads: 1, carried: 4 }));
  const on = (times) => read.reduce((sum, item) => sum + item[times] * item.tokens, 0);
  const pinned_tokens = 9 * 800;
  return {
    total,
    models,
    phases: [],
    contracts: read,
    delivery: {
      pinned: 9,
      pinned_tokens,
      once: { on_demand: on("reads"), pushed: total.runs * pinned_tokens },
      sent: { on_demand: on("carried"), pushed: total.turns * pinned_tokens },
    },
    questions: null,
  };
}
