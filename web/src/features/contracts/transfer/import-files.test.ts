import { expect, it } from "vitest";
import { importFiles } from "./import-files";

const named = (...names: string[]) => importFiles(names.map((name) => new File(["text"], name)));

it("recognizes contracts by file name, in order", () => {
  const { found, leftOut } = named("phases.md", "Builder-Directive.md", "physics.yml", "stack.md");
  expect(found.map(({ type }) => type)).toEqual([
    "stack",
    "physics",
    "phases",
    "builder_directive",
  ]);
  expect(leftOut).toEqual([]);
});

it.each(["notes.md", "physics.md", "boundaries.yaml", "manifesto.md.exe", "manifesto"])(
  "leaves %s out",
  (name) => {
    expect(named(name)).toMatchObject({ found: [], leftOut: [{ name }] });
  },
);

it("accepts one file per contract and lists skipped ones", () => {
  const { found, leftOut } = named("physics.yaml", "physics.yml");
  expect(found.map(({ file }) => file.name)).toEqual(["physics.yaml"]);
  expect(leftOut.map(({ name }) => name)).toEqual(["physics.yml"]);
});
