import { memo } from "react";
import classes from "./changes.module.css";
import type { DiffEntry } from "./diff-entry";

const SIGN = { context: " ", insert: "+", delete: "−" } as const;

export const DiffRow = memo(function DiffRow({ entry }: { entry: DiffEntry }) {
  if (entry.kind === "hunk") return <div className={classes.hunk}>{entry.header || "…"}</div>;
  const { kind, old_line, new_line, spans } = entry.line;
  return (
    <div className={classes.row} data-kind={kind}>
      <span className={classes.number} aria-hidden>
        {old_line ?? ""}
      </span>
      <span className={classes.number} aria-hidden>
        {new_line ?? ""}
      </span>
      <span className={classes.sign}>{SIGN[kind]}</span>
      <code className={classes.code}>
        {spans.map((span, index) =>
          span.changed ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: spans of a line never move
            <mark key={index}>{span.text}</mark>
          ) : (
            span.text
          ),
        )}
      </code>
    </div>
  );
});
