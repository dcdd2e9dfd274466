import { describe, expect, it } from "vitest";
import type { DiffFile } from "@/lib/api";
import { treeRows } from "./file-tree";

const files = ["src/core/deep/a.rs", "src/core/deep/b.rs", "README.md", "src/main.rs"].map(
  (path) => ({ path }) as DiffFile,
);
const keys = (closed: string[] = []) => treeRows(files, new Set(closed)).map(({ key }) => key);

describe("the tree of changed files", () => {
  it("lists folders first, and merges chains of single folders", () => {
    expect(keys()).toEqual([
      "src/",
      "src/core/deep/",
      "src/core/deep/a.rs",
      "src/core/deep/b.rs",
      "src/main.rs",
      "README.md",
    ]);
  });

  it("omits the content of collapsed folders", () => {
    expect(keys(["src/core/deep/"])).toEqual([
      "src/",
      "src/core/deep/",
      "src/main.rs",
      "README.md",
    ]);
    expect(keys(["src/"])).toEqual(["src/", "README.md"]);
  });
});
