import { describe, expect, it } from "vitest";
import { event } from "@/testing/events";
import { groupRows } from "./group-rows";

const rowOf = (type: string, payload: object) => groupRows([event(1, type, payload)])[0];

describe("notes about the base branch", () => {
  it("names what was merged", () => {
    const row = rowOf("build_base_merged", {
      branch: "main",
      tip_sha: "abcdef0123456789",
      paths: ["README.md"],
      path_count: 3,
      conflicts: ["src/a.js"],
    });
    expect(row).toMatchObject({
      kind: "note",
      text: "Merged main at abcdef01. The gates run again.",
      detail: "Resolved conflicts:\nsrc/a.js\nChanged on main:\nREADME.md\nand 2 more",
    });
  });

  it("lists the files of a conflict", () => {
    const row = rowOf("build_rebase_conflict", {
      branch: "main",
      paths: ["src/a.js", "b.md"],
      path_count: 2,
    });
    expect(row).toMatchObject({
      kind: "note",
      tone: "bad",
      text: "main has changes that conflict with those of the build in 2 files",
      detail: "src/a.js\nb.md",
      group: "errors",
    });
  });

  it("says that nothing is left to merge, and if the remote could not be fetched", () => {
    expect(rowOf("build_base_compared", { branch: "main" })).toMatchObject({
      text: "main has no changes to merge",
      detail: undefined,
    });
    const pushed = { branch: "main", base_sha: "abc", fetch_error: "it timed out" };
    expect(rowOf("build_base_compared", pushed)).toMatchObject({
      text: "main was merged by a push",
      detail: "The remote could not be fetched: it timed out",
    });
  });
});
