import { Box, Button, Flex, Group, Text } from "@mantine/core";
import { IconAlertCircle, IconChevronRight, IconMessageQuestion } from "@tabler/icons-react";
import { Link } from "react-router";
import { ChangesRequestedBadge } from "@/components/changes-requested-badge";
import { LinkRow } from "@/components/link-row";
import { SectionCard } from "@/components/section-card";
import { StatusBadge } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { VerdictBadge } from "@/components/verdict-badge";
import type { BuildSummary } from "@/lib/api";
import { plural, shortBranch } from "@/lib/format";
import { paths } from "@/lib/paths";

export function BuildList({ builds }: { builds: BuildSummary[] }) {
  const [first] = builds;
  if (!first) return null;
  return (
    <SectionCard
      title="Builds"
      description="Newest first. Branches and journals of builds are kept."
      action={
        <Button
          component={Link}
          to={paths.errors(first.project_id)}
          variant="default"
          size="xs"
          leftSection={<IconAlertCircle size={14} aria-hidden />}
        >
          Errors of all builds
        </Button>
      }
    >
      <Box component="ul" mx={-8} mb={-8} className="plain-list">
        {builds.map((build) => (
          <li key={build.id}>
            <LinkRow to={paths.build(build.project_id, build.id)} preventScrollReset>
              <Flex component="span" gap={6} wrap="wrap" miw={136}>
                {build.verdict ? (
                  <VerdictBadge verdict={build.verdict} />
                ) : (
                  <StatusBadge status={build.status} />
                )}
                {build.changes_requested && <ChangesRequestedBadge />}
                {build.open_questions > 0 && (
                  <ToneBadge tone="waiting" icon={<IconMessageQuestion size={14} aria-hidden />}>
                    {plural(build.open_questions, "question")}
                  </ToneBadge>
                )}
                {build.open_errors > 0 && (
                  <ToneBadge tone="bad" icon={<IconAlertCircle size={14} aria-hidden />}>
                    {plural(build.open_errors, "open error")}
                  </ToneBadge>
                )}
              </Flex>
              <Text span ff="monospace" fz="xs" flex="1 1 10rem" miw={0}>
                {shortBranch(build.branch)}
                {build.follows && " · follow-up"}
              </Text>
              <Group component="span" gap={6} wrap="nowrap" c="dimmed">
                <Text span fz="xs" c="dimmed">
                  {build.phases_done}/{build.phase_count} phases
                </Text>
                <Text span fz="xs" c="dimmed" miw={88} ta="right">
                  <TimeAgo at={build.created_at} />
                </Text>
                <IconChevronRight size={16} aria-hidden />
              </Group>
            </LinkRow>
          </li>
        ))}
      </Box>
    </SectionCard>
  );
}
