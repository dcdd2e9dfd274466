import classes from "./clause.module.css";
import { ClauseRow } from "./clause-row";
import type { Clause } from "./seal-words";

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
