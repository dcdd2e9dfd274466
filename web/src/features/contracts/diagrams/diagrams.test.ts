import { expect, it } from "vitest";
import { readEndpoints } from "./endpoints";
import { readLayers } from "./layers";

it("reads endpoints of an API and of a command line", () => {
  const text = `endpoints:
  - { name: add, method: post, path: /tasks, body: { title: text }, returns: Task, errors: [401, 422] }
  - { name: list, call: shelf list, output: one line for each }`;
  expect(readEndpoints(text)).toEqual([
    { name: "add", call: "POST /tasks", takes: "title: text", gives: "Task", errors: "401, 422" },
    { name: "list", call: "shelf list", takes: "", gives: "one line for each", errors: "" },
  ]);
});

it.each(["reads no endpoints in %j", "paths: {}", "", "endpoints: no"])(
  "reads no endpoint in %j",
  (text) => {
    expect(readEndpoints(text)).toBeNull();
  },
);

const layersOf = (imports: Record<string, string[]>) =>
  JSON.stringify({
    layers: Object.entries(imports).map(([name, may_import]) => ({ name, paths: [], may_import })),
  });

it("puts each layer above those that it imports", () => {
  const rows = readLayers(
    layersOf({
      core: ["core"],
      storage: ["core", "node:fs"],
      web: ["core"],
      main: ["web", "storage"],
    }),
  );
  expect(rows?.map((row) => row.map(({ name }) => name))).toEqual([
    ["main"],
    ["storage", "web"],
    ["core"],
  ]);
  expect(rows?.[1]?.[0]).toMatchObject({ imports: ["core"], outside: ["node:fs"] });
});

it("includes layers that import each other once", () => {
  const rows = readLayers(layersOf({ a: ["b"], b: ["a"] }));
  expect(
    rows
      ?.flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["a", "b"]);
});

it.each(["reads no layers in %j", "[]", "null", '{"layers": 1}'])(
  "reads no layer in %j",
  (text) => {
    expect(readLayers(text)).toBeNull();
  },
);
