import { Anchor, Box, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { Link } from "react-router";
import { CenteredLoader } from "@/components/centered-loader";
import { conditionLabel, openProofs, summaryOf } from "@/components/evidence/clause-labels";
import { ClauseList } from "@/components/evidence/clause-list";
import { ProofRow } from "@/components/evidence/clause-row";
import { ScrollPanel } from "@/components/scroll-panel";
import type { Build } from "@/lib/api";
import { formatDate, shortSha } from "@/lib/format";
import { isFirstRead } from "@/lib/is-first-read";
import { paths } from "@/lib/paths";
import { toneText } from "@/lib/tone";
import { useDelivery } from "../delivery/api";
import { PullRequestSection } from "../delivery/pull-request-section";
import { useBuildRequirements } from "../requirements/api";
import { useUsage } from "../usage/api";
import { useGateReruns, useRunInstructions } from "./api";
import { BuildResult } from "./build-result";
import { DownloadEvidence } from "./download-evidence";
import { GetBranch } from "./get-branch";
import { PhaseCosts } from "./phase-costs";
import { ReviewerGates } from "./reviewer-gates";
import { RunInstructions } from "./run-instructions";
import { VerifyAuditTrail } from "./verify-audit-trail";

/** The result of a build: what it achieved, how to get and run it, its evidence, and how to verify it. */
export default function SealPage({ build }: { build: Build }) {
  const { seal } = build;
  const parts = [
    useBuildRequirements(build.id),
    useRunInstructions(build.id),
    useDelivery(build.id),
    useUsage(build.id),
    useGateReruns(build.id),
  ];
  if (!seal) return null;
  if (isFirstRead(parts)) return <CenteredLoader />;
  const { head_sha, tree_sha, clauses } = seal.evidence;
  const open = openProofs(clauses);
  return (
    <ScrollPanel label="Seal">
      <Stack component="header" gap={6} align="flex-start" maw={736} mb="md">
        <Title order={3} fz="lg" textWrap="balance">
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
        <Anchor
          component={Link}
          to={paths.buildFile(build.project_id, build.number, head_sha)}
          fz="sm"
        >
          Browse the files of this commit
        </Anchor>
      </Stack>
      <BuildResult build={build} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing={28} mt={28}>
        <Stack gap={28} miw={0}>
          <section aria-labelledby="seal-open">
            <Title order={3} id="seal-open">
              Open issues
            </Title>
            {open.length === 0 ? (
              <Group gap="xs" mt="xs" fz="sm">
                <IconCircleCheck size={16} color={toneText("good")} aria-hidden />
                There are no open errors, findings or questions.
              </Group>
            ) : (
              <Box component="ul" mt="xs" className="plain-list">
                {open.map(({ clause, proof }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
                  <ProofRow key={index} proof={proof}>
                    <Text fz="sm" c="dimmed">
                      Condition: {conditionLabel(clause)}
                    </Text>
                  </ProofRow>
                ))}
              </Box>
            )}
          </section>
          <RunInstructions build={build} />
          <section aria-labelledby="seal-promises">
            <Title order={3} id="seal-promises">
              Conditions and evidence
            </Title>
            <Box mt={8}>
              <ClauseList clauses={clauses} />
            </Box>
          </section>
        </Stack>
        <Stack gap={28} miw={0}>
          <PullRequestSection build={build} />
          <GetBranch build={build} />
          <PhaseCosts buildId={build.id} />
          <DownloadEvidence build={build} />
          <ReviewerGates buildId={build.id} />
          <VerifyAuditTrail buildId={build.id} />
        </Stack>
      </SimpleGrid>
    </ScrollPanel>
  );
}
