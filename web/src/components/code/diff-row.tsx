import { memo } from "react";
import type { DiffLine } from "@/lib/api";
import classes from "./diff.module.css";
import { type DiffEntry, lineName } from "./diff-entry";
import type { TokensOf } from "./highlight-diff";
import { type LinePart, lineParts } from "./line-parts";

const SIGN = { context: " ", insert: "+", delete: "−" } as const;

interface DiffRowProps {
  entry: DiffEntry;
  /** The line in the page's address. */
  marked: string | null;
  tokensOf: TokensOf;
}

export const DiffRow = memo(function DiffRow({ entry, marked, tokensOf }: DiffRowProps) {
  if (entry.kind === "hunk") return <div className={classes.hunk}>{entry.title}</div>;
  if (entry.kind === "pair") {
    return (
      <div className={classes.pair}>
        <Side line={entry.old} number="old_line" marked={marked} tokensOf={tokensOf} />
        <Side line={entry.new} number="new_line" marked={marked} tokensOf={tokensOf} />
      </div>
    );
  }
  const { line } = entry;
  const name = lineName(line);
  return (
    <div
      className={classes.row}
      data-kind={line.kind}
      data-marked={name === marked || undefined}
      aria-current={name === marked ? "location" : undefined}
    >
      <span className={classes.number} data-line={name} aria-hidden>
        {line.old_line ?? ""}
      </span>
      <span className={classes.number} data-line={name} aria-hidden>
        {line.new_line ?? ""}
      </span>
      <Text line={line} tokensOf={tokensOf} />
    </div>
  );
});

interface SideProps {
  line: DiffLine | null;
  number: "old_line" | "new_line";
  marked: string | null;
  tokensOf: TokensOf;
}

function Side({ line, number, marked, tokensOf }: SideProps) {
  if (!line) return <div className={classes.empty} />;
  const name = lineName(line);
  // An unchanged line is on both sides; links name the new one.
  const isMarked = name === marked && (line.kind !== "context" || number === "new_line");
  return (
    <div
      className={classes.row}
      data-kind={line.kind}
      data-marked={isMarked || undefined}
      aria-current={isMarked ? "location" : undefined}
    >
      <span className={classes.number} data-line={name} aria-hidden>
        {line[number] ?? ""}
      </span>
      <Text line={line} tokensOf={tokensOf} />
    </div>
  );
}

function Text({ line, tokensOf }: { line: DiffLine; tokensOf: TokensOf }) {
  return (
    <>
      <span className={classes.sign}>{SIGN[line.kind]}</span>
      <code className={classes.code}>
        {lineParts(line.spans, tokensOf(line)).map((part, index) =>
          part.changed ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line never move
            <mark key={index}>{pieces(part)}</mark>
          ) : (
            pieces(part)
          ),
        )}
      </code>
    </>
  );
}

function pieces(part: LinePart) {
  return part.pieces.map(({ text, kind }, index) =>
    kind ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
      <span key={index} data-token={kind}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}
