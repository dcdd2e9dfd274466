import type { ReactNode } from "react";
import classes from "./activity.module.css";
import { RowTime } from "./row-time";

interface LineProps {
  icon: ReactNode;
  at: string;
  children: ReactNode;
  /** Highlights the row: an error, a question, a seal. */
  strong?: boolean;
}

/** The layout of all rows: icon, content, time. */
export function Line({ icon, at, children, strong }: LineProps) {
  return (
    <div className={classes.line} data-strong={strong || undefined}>
      <span className={classes.icon}>{icon}</span>
      <div className={classes.content}>{children}</div>
      <RowTime at={at} />
    </div>
  );
}
