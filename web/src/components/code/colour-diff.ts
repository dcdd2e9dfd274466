// Colours a diff hunk by hunk. Loaded only when a file has a language; it never holds the page up.
import type { Parser, Tree } from "@lezer/common";
import { highlightTree } from "@lezer/highlight";
import type { DiffHunk, DiffLine, FileDiff } from "@/lib/api";
import { highlighter } from "./highlighter";
import type { Token } from "./line-parts";

/** A longer line is the work of a machine, and nobody reads it. */
const LONGEST_LINE = 1_000;
const LONGEST_HUNK = 500_000;
const SLICE_MS = 8;

export type TokensOf = (line: DiffLine) => Token[];

/** The two sides of a hunk are texts of their own. */
const SIDES = [
  { holds: (line: DiffLine) => line.kind !== "insert", owns: "delete" },
  { holds: (line: DiffLine) => line.kind !== "delete", owns: "insert" },
] as const;

interface Place {
  tree: Tree;
  from: number;
  to: number;
}

const textOf = ({ spans }: DiffLine) => spans.map(({ text }) => text).join("");

/** Resolves to null where the diff was left before it was done. */
export async function colourDiff(
  diff: FileDiff,
  parser: Parser,
  left: AbortSignal,
): Promise<TokensOf | null> {
  const places = new Map<DiffLine, Place>();
  for (const hunk of diff.hunks) {
    for (const side of SIDES) {
      if (!(await placeSide(hunk, side, parser, left, places))) return null;
    }
  }
  return (line) => tokensAt(places.get(line));
}

async function placeSide(
  hunk: DiffHunk,
  { holds, owns }: (typeof SIDES)[number],
  parser: Parser,
  left: AbortSignal,
  places: Map<DiffLine, Place>,
): Promise<boolean> {
  const lines = hunk.lines.filter(holds);
  if (owns === "delete" && !lines.some((line) => line.kind === owns)) return true;
  const texts = lines.map((line) => {
    const text = textOf(line);
    return text.length > LONGEST_LINE ? "" : text;
  });
  const text = texts.join("\n");
  if (text.length > LONGEST_HUNK) return true;
  const tree = await parseInSlices(parser, text, left);
  if (!tree) return false;
  let from = 0;
  for (const [index, line] of lines.entries()) {
    const to = from + (texts[index]?.length ?? 0);
    // The new side comes last and keeps what both sides have.
    places.set(line, { tree, from, to });
    from = to + 1;
  }
  return true;
}

async function parseInSlices(
  parser: Parser,
  text: string,
  left: AbortSignal,
): Promise<Tree | null> {
  const parse = parser.startParse(text);
  while (!left.aborted) {
    const until = performance.now() + SLICE_MS;
    do {
      const tree = parse.advance();
      if (tree) return tree;
    } while (performance.now() < until);
    await new Promise((resume) => setTimeout(resume));
  }
  return null;
}

function tokensAt(place: Place | undefined): Token[] {
  if (!place) return [];
  const { tree, from, to } = place;
  const tokens: Token[] = [];
  highlightTree(
    tree,
    highlighter,
    // What lies within another token has the kinds of both, the inner one last.
    (start, end, kinds) =>
      tokens.push({ from: start - from, to: end - from, kind: kinds.split(" ").at(-1) ?? "" }),
    from,
    to,
  );
  return tokens;
}
