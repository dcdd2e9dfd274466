import { contractName } from "@/domain/contract-names";
import type { GeneratedContract } from "@/lib/api";
import { plural } from "@/lib/format";
import classes from "./generation.module.css";

/** Submissions that were rejected and rewritten, collapsed by default. */
export function Rejections({ contracts }: { contracts: GeneratedContract[] }) {
  const refused = contracts.filter(({ refusals }) => refusals > 0);
  const count = refused.reduce((sum, { refusals }) => sum + refusals, 0);
  if (count === 0) return null;
  return (
    <details className={classes.refusals}>
      <summary>{plural(count, "text")} rejected and rewritten</summary>
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
