import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { viewsOf } from "../contract-views";
import { readEntities } from "./entities";

const read = (path: string) =>
  readFileSync(join(import.meta.dirname, "../../../../../static", path), "utf8");
/** `task: owner_id → member?`, for each reference. */
const relations = (text: string) =>
  readEntities(text).flatMap(({ name, fields }) =>
    fields
      .filter(({ to }) => to !== null)
      .map((field) => `${name}: ${field.name} → ${field.to}${field.optional ? "?" : ""}`),
  );
const names = (text: string) => readEntities(text).map(({ name }) => name);

it("reads the example: headings with tables", () => {
  const entities = readEntities(read("templates/contracts/schema.md"));
  expect(entities.map(({ name, fields }) => [name, fields.length])).toEqual([
    ["member", 3],
    ["task", 6],
  ]);
  expect(entities[1]?.fields[2]).toEqual({
    name: "owner_id",
    type: "uuid",
    to: "member",
    optional: true,
  });
});

it("reads the demo: one document with paths", () => {
  const entities = readEntities(read("demo/contracts/schema.md"));
  expect(entities.map(({ name, fields }) => [name, fields.map((field) => field.name)])).toEqual([
    ["books", ["title", "author", "loan"]],
    ["loan", ["to", "since"]],
  ]);
  expect(entities[0]?.fields[2]).toMatchObject({ to: "loan", optional: true });
});

it("includes a document with fields of its own as an entity", () => {
  const text =
    "## Store\n| key | type |\n|---|---|\n| version | int |\n| items[] | list |\n| items[].id | int |\n";
  expect(relations(text)).toEqual(["Store: items → items"]);
});

it.each([
  ["| author_id | uuid | |", "author_id → author"],
  ["| assignedAuthorId | uuid | |", "assignedAuthorId → author"],
  ["| created_by | uuid | foreign key to authors(id) |", "created_by → author"],
  ["| owner_id | uuid | an author, optional |", "owner_id → author?"],
  ["| writers | `Author[]` | |", "writers → author"],
  ["| keeper | uuid | names one of `author`, may be empty |", "keeper → author?"],
  ["| parent_id | uuid | → book tag, nullable |", "parent_id → book_tags?"],
])("finds where %s leads", (row, expected) => {
  const table = (rows: string) => `| field | type | rule |\n|---|---|---|\n${rows}\n`;
  const author = `## author\n${table("| id | uuid | primary key |")}`;
  const tags = `## book_tags\n${table("| id | uuid | |")}`;
  const book = `## book\n${table(row)}`;
  expect(relations(`# Schema\n${author}${tags}${book}`)).toEqual([`book: ${expected}`]);
});

it.each([
  "| id | uuid | primary key of an author |",
  "| paid | bool | |",
  "| note | text | by an author |",
  "| words | list of text | may be empty |",
])("sees no relation in %s", (row) => {
  const table = `| field | type | rule |\n|---|---|---|\n${row}\n`;
  expect(relations(`## author\n${table}## list\n${table}`)).toEqual([]);
});

it("reads lists of fields, and entity names in longer headings", () => {
  const text = `# Schema
## 1. Entities
### 1.1 The \`members\` table
- **id** (uuid): primary key
- name: text, 1 to 80 characters
### Table: invoice
- \`id\` — uuid
- \`member_id\` — uuid, never empty
`;
  expect(names(text)).toEqual(["members", "invoice"]);
  expect(relations(text)).toEqual(["invoice: member_id → members"]);
});

it.each([
  ["prose", "# Schema\n\nNothing is stored.\n"],
  ["nothing", ""],
  ["a table about something else", "## Indexes\n| index | on |\n|---|---|\n| a | b |\n"],
  ["rules as a list", "## Rules\n- Note: dates have no zone\n- Titles are unique\n"],
  ["code", "## task\n```\n| field | type |\n|---|---|\n| id | uuid |\n```\n"],
  ["a table without a rule below its head", "## task\n| field | type |\n| id | uuid |\n"],
])("reads no entity in %s", (_, text) => {
  expect(readEntities(text)).toEqual([]);
  const views = viewsOf({ type: "schema", format: "markdown", content: text });
  expect(views.map(({ label }) => label)).toEqual(["Document", "Text", "History"]);
});

it.each([
  ["rows", (n: number) => `## a\n| field | type |\n|---|---|\n${"| x_id | a ".repeat(n)}\n`],
  ["items", (n: number) => `- ${"a ".repeat(5 * n)}\n`],
  ["headings", (n: number) => `## a${" x".repeat(5 * n)}\n`],
])("reads a megabyte of %s", { timeout: 60_000 }, (_, text) => {
  // An effort that grows with the square of the text would take hours.
  expect(readEntities(text(100_000)).length).toBeLessThanOrEqual(1);
});
