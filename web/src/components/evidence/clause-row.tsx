import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown } from "@tabler/icons-react";
import { useId } from "react";
import { shortSha } from "@/lib/format";
import { InlineCode } from "../inline-code";
import classes from "./clause.module.css";
import { type Clause, type Proof, promiseOf, shownOf } from "./seal-words";
import { StandingIcon } from "./standing-icon";

/** One promise: how it stands, and what that rests on. */
export function ClauseRow({ clause }: { clause: Clause }) {
  const id = useId();
  const [opened, { toggle }] = useDisclosure(false);
  const head = (
    <>
      <StandingIcon standing={clause.standing} size={20} />
      <span className={classes.words}>
        <span className={classes.promised}>{promiseOf(clause)}</span>
        <span className={classes.shown}>{shownOf(clause)}</span>
      </span>
    </>
  );
  if (clause.proofs.length === 0) return <li className={classes.clause}>{head}</li>;
  return (
    <li>
      <UnstyledButton
        className={classes.clause}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        {head}
        <IconChevronDown size={16} data-opened={opened || undefined} aria-hidden />
      </UnstyledButton>
      <ul id={id} hidden={!opened} className={classes.proofs}>
        {clause.proofs.map((proof, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
          <li key={index}>
            <StandingIcon standing={proof.standing} size={14} />
            <ProofWords proof={proof} />
          </li>
        ))}
      </ul>
    </li>
  );
}

/** What was found, and by which command on which commit. */
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
