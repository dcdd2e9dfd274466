// The contracts of the mock's projects: versions, findings and differences, kept in memory.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILES = {
  manifesto: "manifesto.md",
  blueprint: "blueprint.md",
  stack: "stack.md",
  schema: "schema.md",
  physics: "physics.yaml",
  boundaries: "boundaries.json",
  ui: "ui.md",
  phases: "phases.md",
  builder_directive: "builder_directive.md",
};
export const TYPES = Object.keys(FILES);
const FORMATS = { md: "markdown", yaml: "yaml", json: "json" };
const formatOf = (type) => FORMATS[FILES[type].split(".")[1]];

/** The text of an example, from the server's files. */
export const example = (type, folder = "templates") =>
  readFileSync(
    fileURLToPath(new URL(`../../static/${folder}/contracts/${FILES[type]}`, import.meta.url)),
    "utf8",
  );

/** All versions of the contracts; `written` exist from the start. */
const PHASES = [
  {
    number: 0,
    title: "Task list core",
    objective: "Tasks can be added, listed and completed.",
    deliverables: ["the task model", "its tests"],
    exit_criteria: ["the tests pass (`node --test`)"],
  },
];

export class MockContracts {
  constructor({ at, written = [], source = "generated", author = null }) {
    this.versions = new Map(TYPES.map((type) => [type, []]));
    for (const type of written)
      this.add(type, example(type, source === "demo" ? "demo" : "templates"), {
        source,
        author,
        at,
      });
  }

  add(type, content, { source, author, at = new Date().toISOString() }) {
    const versions = this.versions.get(type);
    versions.push({
      version: versions.length + 1,
      source,
      author,
      format: formatOf(type),
      content,
      length: content.length,
      created_at: at,
    });
    return versions.length;
  }

  has(type) {
    return this.versions.get(type).length > 0;
  }

  get(type) {
    const newest = this.versions.get(type).at(-1);
    return {
      type,
      version: newest?.version ?? 0,
      source: newest ? "project" : "template",
      format: formatOf(type),
      content: newest?.content ?? example(type),
      gap_count: 0,
      phases: type === "phases" ? PHASES : null,
      updated_at: newest?.created_at ?? null,
    };
  }

  list() {
    return TYPES.map((type) => {
      const { version, source, updated_at, content } = this.get(type);
      return { type, version, source, updated_at, tokens: Math.ceil(content.length / 4) };
    });
  }

  history(type) {
    const shown = ({ content: _, format: __, ...version }) => version;
    return this.versions.get(type).map(shown).reverse();
  }

  /** Two of the server's rules, simplified. */
  findings() {
    const found = (rule, contract, line, text, see = null) => ({
      rule,
      at: { contract, line },
      see,
      text,
    });
    return TYPES.flatMap((type) => {
      const { source, content } = this.get(type);
      const lines = content.split("\n");
      const open = lines.findIndex((line) => /\b(TODO|TBD)\b/.test(line));
      const away = lines.findIndex((line) => line.includes("Invoice"));
      return [
        source === "template" &&
          found(
            "no_placeholder",
            type,
            1,
            "This contract has not been written yet. This example is about another product.",
          ),
        open >= 0 && found("no_placeholder", type, open + 1, "`TODO` still needs to be filled in."),
        type === "physics" &&
          away >= 0 &&
          found(
            "entity_in_schema",
            type,
            away + 1,
            "The API uses `Invoice`, which the schema does not define: define it there, or use one of its names.",
            { contract: "schema", line: 1 },
          ),
      ].filter(Boolean);
    });
  }

  diff(type, from, to) {
    const text = (version) => this.versions.get(type)[version - 1]?.content ?? "";
    return {
      path: FILES[type],
      old_path: null,
      status: "modified",
      binary: false,
      truncated: false,
      hunks: hunks(linesOf(text(from)), linesOf(text(to))),
    };
  }

  /** Simplified validation of two formats. */
  misfit(type, content) {
    if (!content.trim()) return "line 1: the text is empty";
    if (type === "physics" && !/^endpoints:\s*$/m.test(content))
      return "line 1: `endpoints` is empty";
    if (type !== "boundaries") return null;
    try {
      return Array.isArray(JSON.parse(content).layers) ? null : "line 1: `layers` is missing";
    } catch (error) {
      return `line 1: ${error.message}`;
    }
  }
}

const linesOf = (text) => (text ? text.replace(/\n$/, "").split("\n") : []);

/** The common start and end are unchanged; the rest is removed and inserted. */
function hunks(old, fresh) {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < Math.min(old.length, fresh.length) - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  )
    tail += 1;
  if (head === old.length && head === fresh.length) return [];
  const start = Math.max(0, head - 3);
  const line = (kind, old_line, new_line, text) => ({
    kind,
    old_line,
    new_line,
    spans: [{ text, changed: false }],
  });
  const lines = [
    ...old.slice(start, head).map((text, n) => line("context", start + n + 1, start + n + 1, text)),
    ...old
      .slice(head, old.length - tail)
      .map((text, n) => line("delete", head + n + 1, null, text)),
    ...fresh
      .slice(head, fresh.length - tail)
      .map((text, n) => line("insert", null, head + n + 1, text)),
    ...old
      .slice(old.length - tail, old.length - tail + 3)
      .map((text, n) =>
        line("context", old.length - tail + n + 1, fresh.length - tail + n + 1, text),
      ),
  ];
  return [
    {
      old_start: start + 1,
      new_start: start + 1,
      header: `@@ -${start + 1} +${start + 1} @@`,
      lines,
    },
  ];
}
