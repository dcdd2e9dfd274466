import { expect, it } from "vitest";
import type { FileDiff } from "@/lib/api";
import { emptyDiffMessage } from "./empty-diff-message";

const diff = (path: string, given: Partial<FileDiff>) =>
  emptyDiffMessage({
    path,
    status: "modified",
    binary: false,
    truncated: false,
    hunks: [],
    ...given,
  })[0];

it("explains why a changed file shows no lines", () => {
  expect(diff("a/logo.PNG", { binary: true, status: "added" })).toBe("An image was added");
  expect(diff("a.bin", { binary: true, status: "renamed", old_path: "b.bin" })).toBe(
    "A binary file was renamed from b.bin",
  );
  expect(diff("b.txt", { status: "renamed", old_path: "a.txt" })).toBe("Renamed from a.txt");
  expect(diff("empty", { status: "added" })).toBe("An empty file was added");
  expect(diff("run.sh", {})).toBe("No lines changed");
});
