import { Box } from "@mantine/core";
import type { Clause } from "./clause-labels";
import { ClauseRow } from "./clause-row";

/** What was promised, and what was shown of it. */
export function ClauseList({ clauses }: { clauses: Clause[] }) {
  return (
    <Box component="ul" className="plain-list lined" bd="1px solid var(--line)" bdrs="lg">
      {clauses.map((clause) => (
        <ClauseRow key={clause.clause} clause={clause} />
      ))}
    </Box>
  );
}
