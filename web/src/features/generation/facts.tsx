import type { ReactNode } from "react";
import classes from "./generation.module.css";

type Fact = [label: string, value: ReactNode];

export function Facts({ facts }: { facts: (Fact | null)[] }) {
  const shown = facts.filter((fact): fact is Fact => fact !== null);
  if (shown.length === 0) return null;
  return (
    <dl className={classes.facts}>
      {shown.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
