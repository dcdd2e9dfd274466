import classes from "./clause.module.css";
import type { Clause } from "./clause-labels";
import { ClauseRow } from "./clause-row";

/** What was promised, and what was shown of it. */
export function ClauseList({ clauses }: { clauses: Clause[] }) {
  return (
    <ul className={classes.clauses}>
      {clauses.map((clause) => (
        <ClauseRow key={clause.clause} clause={clause} />
      ))}
    </ul>
  );
}
