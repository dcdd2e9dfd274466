// Virtuoso keeps its scroll position if rows that are added at the front lower the first index.
import { useState } from "react";

const START = 100_000_000;

/** The index of the first row, such that a row keeps its index while it is in the list. */
export function firstIndexAfter(before: { keys: string[]; index: number }, now: string[]): number {
  if (before.keys.length === 0 || now.length === 0 || before.keys[0] === now[0])
    return before.index;
  const positions = new Map(now.map((key, position) => [key, position]));
  for (const [position, key] of before.keys.entries()) {
    const found = positions.get(key);
    if (found !== undefined) return before.index + position - found;
  }
  return before.index;
}

export function useFirstIndex(keys: string[]): number {
  const [last, setLast] = useState({ keys: [] as string[], index: START });
  if (last.keys === keys) return last.index;
  const index = firstIndexAfter(last, keys);
  setLast({ keys, index });
  return index;
}
