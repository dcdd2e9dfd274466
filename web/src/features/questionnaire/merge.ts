// What becomes of answers that two windows changed: joined where they differ in place, told where not.
import type { Answer } from "@/lib/api";
import { type Answers, type Draft, isEmpty, pruned, sameAnswer } from "./draft";

/** A question that two windows answered differently. */
export interface Clash {
  key: string;
  mine: Answer | undefined;
  theirs: Answer | undefined;
}

/** Mine with theirs taken in; where both changed an answer, mine stands and a clash says so. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft) {
  const [was, my, their] = [base, mine, theirs].map(({ answers }) => pruned(answers)) as [
    Answers,
    Answers,
    Answers,
  ];
  const answers = { ...mine.answers };
  const clashes: Clash[] = [];
  for (const key of new Set([...Object.keys(was), ...Object.keys(my), ...Object.keys(their)])) {
    if (sameAnswer(their[key], was[key]) || sameAnswer(their[key], my[key])) continue;
    if (!sameAnswer(my[key], was[key])) clashes.push({ key, mine: my[key], theirs: their[key] });
    else if (their[key] === undefined) delete answers[key];
    else answers[key] = their[key];
  }
  const size = mine.size === base.size ? theirs.size : mine.size;
  return { merged: { size, answers } satisfies Draft, clashes };
}

/** Both answers in one, where the form of the answer has room for that. */
export function joined({ mine, theirs }: Clash, isOneLine: boolean): Answer | null {
  if (isEmpty(mine) || isEmpty(theirs)) return null;
  if (Array.isArray(mine) && Array.isArray(theirs)) return [...new Set([...mine, ...theirs])];
  if (isOneLine || typeof mine !== "string" || typeof theirs !== "string") return null;
  return `${mine.trimEnd()}\n\n${theirs.trimStart()}`;
}
