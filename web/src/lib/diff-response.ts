// The response of a diff route: a summary, or the diff of the file that the query names.
import type { DiffSummary, FileDiff } from "./api";

export function summaryOf(diff: DiffSummary | FileDiff): DiffSummary {
  if ("files" in diff) return diff;
  throw new Error("Expected a list of changed files, received the diff of one.");
}

export function fileDiffOf(diff: DiffSummary | FileDiff): FileDiff {
  if ("hunks" in diff) return diff;
  throw new Error("Expected the diff of a file, received a list of changed files.");
}
