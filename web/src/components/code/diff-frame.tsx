import type { ReactNode } from "react";
import classes from "./diff-frame.module.css";

interface DiffFrameProps {
  /** The list of files, with what is above it. */
  files: ReactNode;
  /** The diff of the selected file. */
  children: ReactNode;
}

/** A list of files beside the diff of one of them, or above it on narrow screens. */
export function DiffFrame({ files, children }: DiffFrameProps) {
  return (
    <div className={classes.frame}>
      <div className={classes.files}>{files}</div>
      {children}
    </div>
  );
}
