import type { ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import classes from "./side-link.module.css";

interface SideLinkProps extends Pick<LinkProps, "to" | "onClick"> {
  current: "page" | "step" | undefined;
  /** An icon or a number. */
  mark: ReactNode;
  label: string;
  /** At the end of the row. */
  note?: ReactNode;
}

/** A link in a list of pages beside the current one. */
export function SideLink({ current, mark, label, note, ...link }: SideLinkProps) {
  return (
    <Link {...link} className={classes.link} aria-current={current}>
      <span className={classes.mark}>{mark}</span>
      <span className={classes.label}>{label}</span>
      {note}
    </Link>
  );
}
