import type { ReactNode } from "react";
import classes from "./build-header.module.css";

interface FactProps {
  label: string;
  /** Hidden in a narrow header. */
  minor?: boolean;
  children: ReactNode;
}

export function Fact({ label, minor, children }: FactProps) {
  return (
    <div className={classes.fact} data-minor={minor || undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
