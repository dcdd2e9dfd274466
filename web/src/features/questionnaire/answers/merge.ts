// Merges answers that were changed in two windows.
import type { Answer } from "@/lib/api";
import { type Answers, type Draft, isEmpty, pruned, sameAnswer } from "./draft";

/** A question that was answered differently in two windows. */
export interface Conflict {
  key: string;
  mine: Answer | undefined;
  theirs: Answer | undefined;
}

/** Merges `theirs` into `mine`. If both changed an answer, `mine` is kept and a clash is returned. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft) {
  const [was, my, their] = [base, mine, theirs].map(({ answers }) => pruned(answers)) as [
    Answers,
    Answers,
    Answers,
  ];
  const answers = { ...mine.answers };
  const clashes: Conflict[] = [];
  for (const key of new Set([...Object.keys(was), ...Object.keys(my), ...Object.keys(their)])) {
    if (sameAnswer(their[key], was[key]) || sameAnswer(their[key], my[key])) continue;
    if (!sameAnswer(my[key], was[key])) clashes.push({ key, mine: my[key], theirs: their[key] });
    else if (their[key] === undefined) delete answers[key];
    else answers[key] = their[key];
  }
  const size = mine.size === base.size ? theirs.size : mine.size;
  return { merged: { size, answers } satisfies Draft, clashes };
}

/** Both answers combined, if the type of the answer allows it. */
export function combined({ mine, theirs }: Conflict, isOneLine: boolean): Answer | null {
  if (isEmpty(mine) || isEmpty(theirs)) return null;
  if (Array.isArray(mine) && Array.isArray(theirs)) return [...new Set([...mine, ...theirs])];
  if (isOneLine || typeof mine !== "string" || typeof theirs !== "string") return null;
  return `${mine.trimEnd()}\n\n${theirs.trimStart()}`;
}
