// Splits a line of a diff where a changed word or a token begins or ends.
import type { DiffLine } from "@/lib/api";

/** A part of a line with a token class. */
export interface Token {
  from: number;
  to: number;
  kind: string;
}

export interface LinePart {
  changed: boolean;
  pieces: { text: string; kind: string | null }[];
}

/** `tokens` are in order and do not overlap. */
export function lineParts(spans: DiffLine["spans"], tokens: Token[]): LinePart[] {
  let begin = 0;
  let next = 0;
  return spans.map(({ text, changed }) => {
    const end = begin + text.length;
    const pieces: LinePart["pieces"] = [];
    const cut = (from: number, to: number, kind: string | null) => {
      if (to > from) pieces.push({ text: text.slice(from - begin, to - begin), kind });
    };
    let at = begin;
    while (at < end) {
      const token = tokens[next];
      if (!token || token.from >= end) {
        cut(at, end, null);
        break;
      }
      cut(at, token.from, null);
      cut(Math.max(at, token.from), Math.min(token.to, end), token.kind);
      at = Math.max(at, Math.min(token.to, end));
      if (token.to <= end) next++;
    }
    begin = end;
    return { changed, pieces };
  });
}
