// What the mock shows besides builds: contracts and diffs.
const CONTRACTS = [
  "manifesto",
  "blueprint",
  "stack",
  "schema",
  "physics",
  "boundaries",
  "ui",
  "phases",
  "builder_directive",
];
const format = (type) => ({ physics: "yaml", boundaries: "json" })[type] ?? "markdown";

const TEXT = {
  markdown:
    "# TaskFlow\n\nA small task list for one person.\n\n## What it does\n\n- Keeps tasks with a **due date** and a priority\n- Lists what is overdue first\n\n| Command | What it prints |\n|---|---|\n| `list` | open tasks |\n| `report` | the week at a glance |\n\n```js\nlist({ state: 'open' })\n```\n",
  yaml: "endpoints:\n  - method: GET\n    path: /tasks\n    returns: Task[]\n  - method: POST\n    path: /tasks\n    takes: NewTask\n",
  json: '{\n  "layers": [\n    { "name": "cli", "may_import": ["core"] },\n    { "name": "core", "may_import": [] }\n  ]\n}\n',
};

export const contracts = (at) =>
  CONTRACTS.map((type, index) => ({
    type,
    version: 1,
    source: index === 6 ? "template" : "project",
    updated_at: at,
    tokens: 380 + index * 210,
  }));

export const contract = (type, at) => ({
  type,
  version: 1,
  source: "project",
  format: format(type),
  content: TEXT[format(type)],
  updated_at: at,
});

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
}));

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
