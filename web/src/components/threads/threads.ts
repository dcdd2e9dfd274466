// Groups comments into threads: a comment and its replies.
import type { DiffLine, FileDiff, ReviewComment } from "@/lib/api";

/** The most lines that a comment can be on. */
const MAX_LINES = 50;

/** A line of the diff, in the old or new file. */
export interface Place {
  path: string;
  side: "old" | "new";
  number: number;
}

/** The lines of a comment that is to be added; without `first_number`, a single one. */
export interface CommentPlace extends Place {
  first_number: number | null;
}

export interface Thread {
  first: ReviewComment;
  answers: ReviewComment[];
}

export function threadsOf(comments: ReviewComment[]): Thread[] {
  const threads = comments
    .filter((comment) => comment.parent_id === null)
    .map((first): Thread => ({ first, answers: [] }));
  const byId = new Map(threads.map((thread) => [thread.first.id, thread]));
  for (const comment of comments) {
    if (comment.parent_id !== null) byId.get(comment.parent_id)?.answers.push(comment);
  }
  return threads;
}

/** The location of a comment on this line: removed lines are in the old file. */
export function placeOf(path: string, line: DiffLine): Place | null {
  const side = line.kind === "delete" ? "old" : "new";
  const number = side === "old" ? line.old_line : line.new_line;
  return number ? { path, side, number } : null;
}

/** The lines that a comment ending on this line can be on: those of the same group, in file order. */
export function linesUpTo(diff: FileDiff, last: DiffLine): { number: number; text: string }[] {
  const hunk = diff.hunks.find(({ lines }) => lines.includes(last));
  const numberOf = (line: DiffLine) => (last.kind === "delete" ? line.old_line : line.new_line);
  const lines = hunk ? hunk.lines.slice(0, hunk.lines.indexOf(last) + 1) : [last];
  return lines
    .flatMap((line) => {
      const number = numberOf(line);
      return number ? [{ number, text: line.spans.map(({ text }) => text).join("") }] : [];
    })
    .slice(-MAX_LINES);
}

/** `line 5` or `lines 3 to 5`. */
export const lineRange = (first: number | null | undefined, last: number): string =>
  first ? `lines ${first} to ${last}` : `line ${last}`;

/** Whether a thread is on this line, the last of its lines; on an unchanged line it may refer to either side. */
export function isOn({ first }: Thread, path: string, line: DiffLine): boolean {
  const number = first.side === "old" ? line.old_line : line.new_line;
  return first.path === path && number === first.line;
}
