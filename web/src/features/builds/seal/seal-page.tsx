import { Box, Stack, Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { openProofs, requirementLabel, summaryOf } from "@/components/evidence/clause-labels";
import { ClauseList } from "@/components/evidence/clause-list";
import { ProofWords } from "@/components/evidence/clause-row";
import { ProofStatusIcon } from "@/components/evidence/proof-status-icon";
import type { Build } from "@/lib/api";
import { formatDate, shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import { DownloadEvidence } from "./download-evidence";
import classes from "./seal-page.module.css";
import { VerifyAuditTrail } from "./verify-audit-trail";

/** The result of a build: verdict, open issues, evidence, and how to verify it. */
export default function SealPage({ build }: { build: Build }) {
  const { seal } = build;
  if (!seal) return null;
  const { head_sha, tree_sha, clauses } = seal.evidence;
  const open = openProofs(clauses);
  return (
    <section className={classes.page} aria-label="Seal">
      <Stack component="header" gap={6} align="flex-start" maw={736} mb={24}>
        <Title order={3} className={classes.told}>
          {summaryOf(clauses)}
        </Title>
        <Text fz="sm" c="dimmed">
          Sealed {formatDate(seal.sealed_at)} according to fixed rules from the evidence below, on
          commit <code>{shortSha(head_sha)}</code>
          {tree_sha && (
            <>
              {" "}
              with tree <code>{shortSha(tree_sha)}</code>, from a clean checkout
            </>
          )}
          . Score {seal.score} of 100.
        </Text>
      </Stack>
      <div className={classes.columns}>
        <div className={classes.column}>
          <section aria-labelledby="seal-open">
            <Title order={3} id="seal-open">
              Open issues
            </Title>
            {open.length === 0 ? (
              <p className={classes.nothing}>
                <IconCircleCheck size={16} color={toneText("good")} aria-hidden />
                There are no open errors, findings or questions.
              </p>
            ) : (
              <ul className={classes.open}>
                {open.map(({ clause, proof }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
                  <li key={index}>
                    <ProofStatusIcon standing={proof.standing} size={16} />
                    <span>
                      <Box component="span" display="block" c="dimmed" fz="sm">
                        Requirement: {requirementLabel(clause)}
                      </Box>
                      <ProofWords proof={proof} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section aria-labelledby="seal-promises">
            <Title order={3} id="seal-promises">
              Requirements and evidence
            </Title>
            <Box mt={8}>
              <ClauseList clauses={clauses} />
            </Box>
          </section>
        </div>
        <div className={classes.column}>
          <DownloadEvidence build={build} />
          <VerifyAuditTrail buildId={build.id} />
        </div>
      </div>
    </section>
  );
}
