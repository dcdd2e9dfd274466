import { Anchor, Collapse, Group, Text, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconDownload } from "@tabler/icons-react";
import { CommandLineBlock } from "@/components/command-line-block";
import { VerdictBadge } from "@/components/verdict-badge";
import type { Build } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { VERDICT } from "@/lib/verdict";
import { EvidenceList } from "./evidence-list";
import classes from "./seal-summary.module.css";
import { Verify } from "./verify";

/** The verdict, why it is so, and how to get the branch. */
export function SealSummary({ build }: { build: Build }) {
  const [opened, { toggle }] = useDisclosure(false);
  const { seal } = build;
  if (!seal) return null;
  const { tone, meaning } = VERDICT[seal.verdict];
  return (
    <section className={classes.card} data-tone={tone} aria-labelledby="seal-title">
      <Group gap="sm" align="center">
        <Title order={3} id="seal-title" className="visually-hidden">
          Verdict
        </Title>
        <VerdictBadge verdict={seal.verdict} />
        <Text fz="sm" className={classes.meaning}>
          {meaning}
        </Text>
        <UnstyledButton
          className={classes.more}
          aria-expanded={opened}
          aria-controls="seal-detail"
          onClick={toggle}
        >
          Evidence and branch
          <IconChevronDown size={16} data-opened={opened || undefined} aria-hidden />
        </UnstyledButton>
      </Group>
      <Collapse expanded={opened} id="seal-detail">
        <div className={classes.detail}>
          <div className={classes.evidence}>
            <EvidenceList clauses={seal.evidence?.clauses ?? []} />
            <Verify buildId={build.id} />
          </div>
          <div className={classes.fetch}>
            <Text fz="sm" fw={600} mb={6}>
              Get the branch
            </Text>
            <CommandLineBlock
              command={`git clone -b ${build.branch} ${location.origin}/git/${build.project_id}.git`}
            />
            <Text fz="xs" c="dimmed" my={6}>
              or, in a clone that you have:
            </Text>
            <CommandLineBlock
              command={`git fetch origin ${build.branch} && git switch ${build.branch}`}
            />
            <Text fz="xs" c="dimmed" mt="sm">
              Score {seal.score} of 100 · seal commit <code>{shortSha(seal.seal_commit)}</code>
            </Text>
            <Anchor
              href={paths.report(build.id)}
              download={`build-${build.id}.md`}
              fz="sm"
              mt={6}
              className={classes.report}
            >
              <IconDownload size={14} aria-hidden /> Report as Markdown
            </Anchor>
          </div>
        </div>
      </Collapse>
    </section>
  );
}
