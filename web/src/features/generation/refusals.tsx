import type { GeneratedContract } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { plural } from "@/lib/format";
import classes from "./generation.module.css";

/** Texts that did not fit and were written again, folded until somebody asks why. */
export function Refusals({ contracts }: { contracts: GeneratedContract[] }) {
  const refused = contracts.filter(({ refusals }) => refusals > 0);
  const count = refused.reduce((sum, { refusals }) => sum + refusals, 0);
  if (count === 0) return null;
  return (
    <details className={classes.refusals}>
      <summary>{plural(count, "text")} did not fit and went back to be written again</summary>
      <ul>
        {refused.map(({ type, refusals, refusal }) => (
          <li key={type}>
            <b>{contractName(type)}</b>
            {refusals > 1 && `, ${refusals} times`}
            {refusal && `: ${refusal}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
