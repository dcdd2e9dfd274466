import { expect, it } from "vitest";
import type { DiffLine, FileDiff } from "@/lib/api";
import { hunkTitle } from "./diff-entry";
import { highlightDiff } from "./highlight-diff";
import { parserFor } from "./languages";

const line = (kind: DiffLine["kind"], text: string): DiffLine => ({
  kind,
  old_line: 1,
  new_line: 1,
  spans: [{ text, changed: false }],
});

const tokens = (path: string, ...lines: DiffLine[]) => tokensOfHunks(path, lines);

async function tokensOfHunks(path: string, ...hunks: DiffLine[][]): Promise<string[][]> {
  const diff = {
    path,
    hunks: hunks.map((lines) => ({ old_start: 1, new_start: 1, header: "", lines })),
  } as unknown as FileDiff;
  const parser = await parserFor(path);
  if (!parser) throw new Error(`nothing reads ${path}`);
  const tokensOf = await highlightDiff(diff, parser, new AbortController().signal);
  return hunks.flat().map((each) => {
    const text = each.spans.map((span) => span.text).join("");
    return (tokensOf?.(each) ?? []).map(({ from, to, kind }) => `${kind}:${text.slice(from, to)}`);
  });
}

it("parses the old and the new side separately", async () => {
  expect(
    await tokens(
      "a.ts",
      line("context", "/* begins"),
      line("delete", "ends */ const old = 1;"),
      line("insert", "continues"),
      line("context", "ends */ return 'x';"),
    ),
  ).toEqual([
    ["comment:/* begins"],
    ["comment:ends */", "keyword:const", "constant:1"],
    ["comment:continues"],
    ["comment:ends */", "keyword:return", "string:'x'"],
  ]);
});

it("continues a comment of an earlier hunk", async () => {
  expect(
    await tokensOfHunks(
      "a.ts",
      [line("insert", "/** The limit,"), line("insert", " * it's in bytes")],
      [line("insert", " * (not characters). */"), line("insert", "const limit = 1;")],
    ),
  ).toEqual([
    ["comment:/** The limit,"],
    ["comment: * it's in bytes"],
    ["comment: * (not characters). */"],
    ["keyword:const", "constant:1"],
  ]);
});

it("parses a valid hunk independently of an unclosed comment before it", async () => {
  const [, second] = await tokensOfHunks(
    "a.ts",
    [line("insert", "/* closed between the hunks")],
    [line("insert", "const limit = 1;")],
  );
  expect(second).toEqual(["keyword:const", "constant:1"]);
});

it("skips only lines that are too long", async () => {
  const [long, short] = await tokens(
    "a.js",
    line("insert", `const a = "${"x".repeat(2_000)}";`),
    line("insert", "const b = 2;"),
  );
  expect(long).toEqual([]);
  expect(short).toEqual(["keyword:const", "constant:2"]);
});

it("stops when it is cancelled", async () => {
  const leaving = new AbortController();
  leaving.abort();
  const diff = { hunks: [{ lines: [line("insert", "1")] }] } as unknown as FileDiff;
  const parser = await parserFor("a.js");
  expect(parser && (await highlightDiff(diff, parser, leaving.signal))).toBeNull();
});

it.each([
  ["a.json", '{"due": 14}', 'name:"due"'],
  ["a.css", "a { color: red }", "type:a"],
  ["a.html", "<p class='x'>", "type:p"],
  ["README.md", "# Title", "type: Title"],
  ["a.py", "def f():", "keyword:def"],
  ["src/main.rs", "fn main() {}", "keyword:fn"],
  ["a.go", "package main", "keyword:package"],
  ["A.java", "class A {}", "keyword:class"],
  ["a.cpp", "return 1;", "keyword:return"],
  ["a.php", "return 1;", "keyword:return"],
  ["a.yml", "due: 14", "name:due"],
  ["a.svg", "<svg width='1'/>", "type:svg"],
])("reads %s", async (path, text, token) => {
  expect((await tokens(path, line("insert", text)))[0]).toContain(token);
});

it.each(["LICENSE", "a.unknown", ".gitignore"])("has no parser for %s", (path) => {
  expect(parserFor(path)).toBeNull();
});

it.each([
  ["@@ -60,2 +60,3 @@ export function sortTasks", "Line 60 · export function sortTasks"],
  ["@@ -60,2 +60,3 @@", "Line 60"],
])("says where %j stands in plain words", (header, title) => {
  expect(hunkTitle({ header, old_start: 60, new_start: 60, lines: [] })).toBe(title);
});
