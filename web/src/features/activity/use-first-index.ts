// Keeps a list still while rows are put before it or dropped from its front.
import { useRef } from "react";

const START = 100_000_000;

/** The index of the first row, such that a row keeps its index for as long as it is there. */
export function firstIndexAfter(before: { keys: string[]; index: number }, now: string[]): number {
  if (before.keys.length === 0 || now.length === 0 || before.keys[0] === now[0])
    return before.index;
  const places = new Map(now.map((key, place) => [key, place]));
  for (let place = 0; place < before.keys.length; place++) {
    const found = places.get(before.keys[place] as string);
    if (found !== undefined) return before.index + place - found;
  }
  return before.index;
}

export function useFirstIndex(keys: string[]): number {
  const last = useRef({ keys: [] as string[], index: START });
  if (last.current.keys !== keys)
    last.current = { keys, index: firstIndexAfter(last.current, keys) };
  return last.current.index;
}
