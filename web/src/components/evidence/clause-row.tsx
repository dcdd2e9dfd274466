import { Box, Flex, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { shortSha } from "@/lib/format";
import { Disclosure } from "../disclosure";
import { InlineCode } from "../inline-code";
import classes from "./clause.module.css";
import { type Clause, conditionLabel, evidenceLabel, type Proof } from "./clause-labels";
import { ProofStatusIcon } from "./proof-status-icon";

export function ClauseRow({ clause }: { clause: Clause }) {
  const summary = (
    <>
      <ProofStatusIcon standing={clause.standing} size={20} />
      <Box component="span" flex={1} miw={0}>
        <Text span display="block" fz="md" fw={550}>
          {conditionLabel(clause)}
        </Text>
        <Text span display="block" fz="sm" c="dimmed">
          {evidenceLabel(clause)}
        </Text>
      </Box>
    </>
  );
  if (clause.proofs.length === 0) return <li className={classes.clause}>{summary}</li>;
  return (
    <li>
      <Disclosure className={`${classes.clause} focus-inset`} summary={summary}>
        <Box component="ul" className="plain-list" pt={2} pr={14} pb="sm" pl={46}>
          {clause.proofs.map((proof, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
            <ProofRow key={index} proof={proof} />
          ))}
        </Box>
      </Disclosure>
    </li>
  );
}

interface ProofRowProps {
  proof: Proof;
  /** Shown above the result. */
  children?: ReactNode;
}

/** The result, with the command and commit that produced it. */
export function ProofRow({ proof, children }: ProofRowProps) {
  const facts = [
    proof.exit_code != null && `exit code ${proof.exit_code}`,
    proof.sandbox && `sandbox ${proof.sandbox}`,
    proof.commit && `commit ${shortSha(proof.commit)}`,
    proof.output_sha256 && `output ${shortSha(proof.output_sha256)}`,
  ].filter(Boolean);
  return (
    <Flex component="li" gap="xs" py={4} fz="sm">
      <Box mt={3} lh={0}>
        <ProofStatusIcon standing={proof.standing} size={14} />
      </Box>
      <div>
        {children}
        <InlineCode text={proof.what} />
        {(proof.command || facts.length > 0) && (
          <Text fz="xs" c="dimmed">
            {proof.command && <code>{proof.command}</code>} {facts.join(" · ")}
          </Text>
        )}
      </div>
    </Flex>
  );
}
