import { memo } from "react";
import type { TokensOf } from "./colour-diff";
import classes from "./diff.module.css";
import type { DiffEntry } from "./diff-entry";
import { type LinePart, lineParts } from "./line-parts";

const SIGN = { context: " ", insert: "+", delete: "−" } as const;

interface DiffRowProps {
  entry: DiffEntry;
  tokensOf: TokensOf;
}

export const DiffRow = memo(function DiffRow({ entry, tokensOf }: DiffRowProps) {
  if (entry.kind === "hunk") return <div className={classes.hunk}>{entry.title}</div>;
  const { line } = entry;
  return (
    <div className={classes.row} data-kind={line.kind}>
      <span className={classes.number} aria-hidden>
        {line.old_line ?? ""}
      </span>
      <span className={classes.number} aria-hidden>
        {line.new_line ?? ""}
      </span>
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
    </div>
  );
});

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
