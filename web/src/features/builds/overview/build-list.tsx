import { Box, Flex, Group, Text } from "@mantine/core";
import { IconAlertCircle, IconChevronRight, IconMessageQuestion } from "@tabler/icons-react";
import { LinkRow } from "@/components/link-row";
import { NumberAndTitle } from "@/components/number-and-title";
import { BuildBadges } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { BuildSummary } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";

/** Links to builds. */
export function BuildList({ builds }: { builds: BuildSummary[] }) {
  return (
    <Box component="ul" mx={-8} mb={-8} className="plain-list">
      {builds.map((build) => (
        <li key={build.id}>
          <LinkRow to={paths.build(build.project_id, build.number)}>
            <Box component="span" flex="1 1 12rem" miw={0}>
              <Text span display="block" fz="sm" fw={550} truncate>
                <NumberAndTitle build={build} />
              </Text>
              <Text span ff="monospace" fz="xs" c="dimmed" display="block" truncate>
                {build.branch}
              </Text>
            </Box>
            <Flex component="span" gap={6} wrap="wrap">
              <BuildBadges build={build} />
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
  );
}
