// Ranges of lines in addresses: `#L10` and `#L10-L20`.
export interface LineRange {
  first: number;
  last: number;
}

export function parseLineRange(hash: string): LineRange | null {
  const found = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash);
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
  return from > 0 && to > 0 ? { first: Math.min(from, to), last: Math.max(from, to) } : null;
}

export const lineRangeHash = ({ first, last }: LineRange): string =>
  first === last ? `#L${first}` : `#L${first}-L${last}`;

/** The range after a click on a line; with Shift, from the start of the current range. */
export function extendRange(current: LineRange | null, line: number, extend: boolean): LineRange {
  if (!current || !extend) return { first: line, last: line };
  return { first: Math.min(current.first, line), last: Math.max(current.first, line) };
}
