// The old and the new version of a changed file, for highlighting across hunks.
import type { DiffLine, FileDiff } from "@/lib/api";
import { extent } from "./expand-context";

export interface WholeText {
  old: string[];
  new: string[];
}

/** The lines of a text, as diffs number them. */
export function linesOfText(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * Both versions, from the new one and the diff; null if the diff is truncated. The hunks of an added or a deleted
 * file contain all of it.
 */
export function wholeText(diff: FileDiff, newLines: string[] | null): WholeText | null {
  if (diff.truncated) return null;
  const isComplete = diff.status === "added" || diff.status === "deleted";
  const lines = newLines ?? (isComplete ? [] : null);
  if (!lines) return null;
  const old: string[] = [];
  const current: string[] = [];
  let next = 1;
  for (const hunk of diff.hunks) {
    const { newFirst, newCount } = extent(hunk);
    const between = lines.slice(next - 1, newFirst - 1);
    old.push(...between);
    current.push(...between);
    for (const line of hunk.lines) {
      if (line.kind !== "insert") old.push(textOf(line));
      if (line.kind !== "delete") current.push(textOf(line));
    }
    next = newFirst + newCount;
  }
  const rest = lines.slice(next - 1);
  return { old: [...old, ...rest], new: [...current, ...rest] };
}

export const textOf = ({ spans }: DiffLine): string => spans.map(({ text }) => text).join("");
