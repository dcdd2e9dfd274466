// Highlights a diff without blocking the page. Loaded only for files with a known language.
import type { Parser, Tree } from "@lezer/common";
import { highlightTree } from "@lezer/highlight";
import type { DiffHunk, DiffLine, FileDiff } from "@/lib/api";
import { highlighter } from "./highlighter";
import type { Token } from "./line-parts";
import { textOf, type WholeText } from "./whole-text";

/** Longer lines are probably generated and are not highlighted. */
const MAX_LINE_LENGTH = 1_000;
const MAX_HUNK_LENGTH = 500_000;
const MAX_FILE_LENGTH = 1_000_000;
const SLICE_MS = 8;

export type TokensOf = (line: DiffLine) => Token[];

interface Side {
  includes: (line: DiffLine) => boolean;
  /** Hunks without such lines are skipped: the other side covers their unchanged lines. */
  needs: DiffLine["kind"] | null;
}

/** The old side comes first, so that unchanged lines get the tokens of the new one. */
const SIDES: Side[] = [
  { includes: (line) => line.kind !== "insert", needs: "delete" },
  { includes: (line) => line.kind !== "delete", needs: null },
];

/** The range of a line in a parsed text. */
interface LineRange {
  tree: Tree;
  from: number;
  to: number;
}

/**
 * Highlights both versions of a file, so that every line has the tokens that it has in the file. Resolves to null if
 * it was cancelled.
 */
export async function highlightWhole(
  whole: WholeText,
  parser: Parser,
  cancelled: AbortSignal,
): Promise<TokensOf | null> {
  const old = await highlightLines(whole.old, parser, cancelled);
  const current = old && (await highlightLines(whole.new, parser, cancelled));
  if (!current) return null;
  return ({ kind, old_line, new_line }) =>
    tokensAt(kind === "delete" ? old.get(old_line ?? 0) : current.get(new_line ?? 0));
}

/** Whether a version is small enough to be parsed as a whole. */
export const isHighlightable = (whole: WholeText): boolean =>
  [whole.old, whole.new].every(
    (lines) => lines.reduce((sum, line) => sum + line.length, 0) <= MAX_FILE_LENGTH,
  );

/** The range of each line, by its number. */
async function highlightLines(
  lines: string[],
  parser: Parser,
  cancelled: AbortSignal,
): Promise<Map<number, LineRange> | null> {
  const texts = lines.map((line) => (line.length > MAX_LINE_LENGTH ? "" : line));
  const tree = await parseInSlices(parser, texts.join("\n"), cancelled);
  if (!tree) return null;
  const ranges = new Map<number, LineRange>();
  let from = 0;
  for (const [index, text] of texts.entries()) {
    ranges.set(index + 1, { tree, from, to: from + text.length });
    from += text.length + 1;
  }
  return ranges;
}

/** Highlights hunks without the rest of their file. Resolves to null if it was cancelled. */
export async function highlightDiff(
  diff: FileDiff,
  parser: Parser,
  cancelled: AbortSignal,
): Promise<TokensOf | null> {
  const ranges = new Map<DiffLine, LineRange>();
  for (const side of SIDES) {
    if (!(await highlightSide(diff.hunks, side, parser, cancelled, ranges))) return null;
  }
  return (line) => tokensAt(ranges.get(line));
}

async function highlightSide(
  hunks: DiffHunk[],
  { includes, needs }: Side,
  parser: Parser,
  cancelled: AbortSignal,
  ranges: Map<DiffLine, LineRange>,
): Promise<boolean> {
  let before = "";
  for (const hunk of hunks) {
    const lines = hunk.lines.filter(includes);
    const texts = lines.map((line) => {
      const text = textOf(line);
      return text.length > MAX_LINE_LENGTH ? "" : text;
    });
    const text = texts.join("\n");
    if (text.length > MAX_HUNK_LENGTH) continue;
    if (needs === null || lines.some((line) => line.kind === needs)) {
      const parsed = await parseHunk(parser, before, text, cancelled);
      if (!parsed) return false;
      let from = parsed.start;
      for (const [index, line] of lines.entries()) {
        const to = from + (texts[index]?.length ?? 0);
        ranges.set(line, { tree: parsed.tree, from, to });
        from = to + 1;
      }
    }
    before = `${before}${text}\n`.slice(-MAX_HUNK_LENGTH);
  }
  return true;
}

/**
 * Parses a hunk alone or, if it then has syntax errors, as a continuation of the hunks before it: it may
 * start within a comment or string that they open. `start` is the position of the hunk in the parsed text.
 */
async function parseHunk(
  parser: Parser,
  before: string,
  text: string,
  cancelled: AbortSignal,
): Promise<{ tree: Tree; start: number } | null> {
  const alone = await parseInSlices(parser, text, cancelled);
  if (!alone) return null;
  const errors = countErrors(alone, 0);
  if (errors === 0 || before === "") return { tree: alone, start: 0 };
  const continued = await parseInSlices(parser, before + text, cancelled);
  if (!continued) return null;
  return countErrors(continued, before.length) < errors
    ? { tree: continued, start: before.length }
    : { tree: alone, start: 0 };
}

function countErrors(tree: Tree, from: number): number {
  let errors = 0;
  tree.iterate({
    from,
    enter: ({ type }) => {
      if (type.isError) errors++;
    },
  });
  return errors;
}

async function parseInSlices(
  parser: Parser,
  text: string,
  cancelled: AbortSignal,
): Promise<Tree | null> {
  const parse = parser.startParse(text);
  while (!cancelled.aborted) {
    const until = performance.now() + SLICE_MS;
    do {
      const tree = parse.advance();
      if (tree) return tree;
    } while (performance.now() < until);
    await new Promise((resume) => setTimeout(resume));
  }
  return null;
}

function tokensAt(range: LineRange | undefined): Token[] {
  if (!range) return [];
  const { tree, from, to } = range;
  const tokens: Token[] = [];
  highlightTree(
    tree,
    highlighter,
    // A token inside another has the classes of both, the inner one last.
    (start, end, kinds) =>
      tokens.push({ from: start - from, to: end - from, kind: kinds.split(" ").at(-1) ?? "" }),
    from,
    to,
  );
  return tokens;
}
