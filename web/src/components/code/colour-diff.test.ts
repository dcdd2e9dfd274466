import { expect, it } from "vitest";
import type { DiffLine, FileDiff } from "@/lib/api";
import { colourDiff } from "./colour-diff";
import { hunkTitle } from "./diff-entry";
import { parserFor } from "./languages";

const line = (kind: DiffLine["kind"], text: string): DiffLine => ({
  kind,
  old_line: 1,
  new_line: 1,
  spans: [{ text, changed: false }],
});

async function colours(path: string, ...lines: DiffLine[]): Promise<string[][]> {
  const hunk = { old_start: 1, new_start: 1, header: "", lines };
  const diff = { path, hunks: [hunk] } as unknown as FileDiff;
  const parser = await parserFor(path);
  if (!parser) throw new Error(`nothing reads ${path}`);
  const tokensOf = await colourDiff(diff, parser, new AbortController().signal);
  return lines.map((each) => {
    const text = each.spans.map((span) => span.text).join("");
    return (tokensOf?.(each) ?? []).map(({ from, to, kind }) => `${kind}:${text.slice(from, to)}`);
  });
}

it("reads the old and the new side each as a text of its own", async () => {
  expect(
    await colours(
      "a.ts",
      line("context", "/* begins"),
      line("delete", "ends */ const old = 1;"),
      line("insert", "goes on"),
      line("context", "ends */ return 'x';"),
    ),
  ).toEqual([
    ["comment:/* begins"],
    ["comment:ends */", "keyword:const", "constant:1"],
    ["comment:goes on"],
    ["comment:ends */", "keyword:return", "string:'x'"],
  ]);
});

it("leaves out a line that is too long to read, and only that", async () => {
  const [long, short] = await colours(
    "a.js",
    line("insert", `const a = "${"x".repeat(2_000)}";`),
    line("insert", "const b = 2;"),
  );
  expect(long).toEqual([]);
  expect(short).toEqual(["keyword:const", "constant:2"]);
});

it("stops when nobody looks any more", async () => {
  const leaving = new AbortController();
  leaving.abort();
  const diff = { hunks: [{ lines: [line("insert", "1")] }] } as unknown as FileDiff;
  const parser = await parserFor("a.js");
  expect(parser && (await colourDiff(diff, parser, leaving.signal))).toBeNull();
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
  expect((await colours(path, line("insert", text)))[0]).toContain(token);
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
