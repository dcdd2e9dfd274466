import { Box } from "@mantine/core";
import { shortSha } from "@/lib/format";
import { Disclosure } from "../disclosure";
import { InlineCode } from "../inline-code";
import classes from "./clause.module.css";
import { type Clause, evidenceLabel, type Proof, requirementLabel } from "./clause-labels";
import { ProofStatusIcon } from "./proof-status-icon";

export function ClauseRow({ clause }: { clause: Clause }) {
  const summary = (
    <>
      <ProofStatusIcon standing={clause.standing} size={20} />
      <Box component="span" flex={1} miw={0}>
        <span className={classes.promised}>{requirementLabel(clause)}</span>
        <span className={classes.shown}>{evidenceLabel(clause)}</span>
      </Box>
    </>
  );
  if (clause.proofs.length === 0) return <li className={classes.clause}>{summary}</li>;
  return (
    <li>
      <Disclosure className={classes.clause} summary={summary}>
        <ul className={classes.proofs}>
          {clause.proofs.map((proof, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
            <li key={index}>
              <ProofStatusIcon standing={proof.standing} size={14} />
              <ProofWords proof={proof} />
            </li>
          ))}
        </ul>
      </Disclosure>
    </li>
  );
}

/** The result, with the command and commit that produced it. */
export function ProofWords({ proof }: { proof: Proof }) {
  const facts = [
    proof.exit_code != null && `exit code ${proof.exit_code}`,
    proof.sandbox && `sandbox ${proof.sandbox}`,
    proof.commit && `commit ${shortSha(proof.commit)}`,
    proof.output_sha256 && `output ${shortSha(proof.output_sha256)}`,
  ].filter(Boolean);
  return (
    <span>
      <InlineCode text={proof.what} />
      {(proof.command || facts.length > 0) && (
        <span className={classes.facts}>
          {proof.command && <code>{proof.command}</code>}
          {facts.join(" · ")}
        </span>
      )}
    </span>
  );
}
