// Groups comments into threads: a comment and its replies.
import type { DiffLine, ReviewComment } from "@/lib/api";

/** A line of the diff, in the old or new file. */
export interface Place {
  path: string;
  side: "old" | "new";
  number: number;
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

/** Whether a thread is on this line; on an unchanged line it may refer to either side. */
export function isOn({ first }: Thread, path: string, line: DiffLine): boolean {
  const number = first.side === "old" ? line.old_line : line.new_line;
  return first.path === path && number === first.line;
}
