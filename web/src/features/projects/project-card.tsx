import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconEye, IconMessageQuestion } from "@tabler/icons-react";
import { Link } from "react-router";
import { Segments } from "@/components/segments";
import { BuildBadges } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { phaseParts } from "@/domain/phase-segments";
import type { Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./project-card.module.css";

export function ProjectCard({ project }: { project: Project }) {
  const build = project.last_build;
  return (
    <Card component="article" className={classes.card}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Title order={2} lineClamp={2}>
          <Link to={paths.project(project.id)} className={classes.link}>
            {project.name}
          </Link>
        </Title>
        {project.origin === "demo" && <ToneBadge tone="accent">Demo</ToneBadge>}
        {project.role === "viewer" && (
          <ToneBadge tone="neutral" icon={<IconEye size={14} aria-hidden />}>
            Shared by {project.owner.name}
          </ToneBadge>
        )}
      </Group>
      <Text c="dimmed" fz="sm" lineClamp={2} mt={4} flex="none">
        {project.description || "No description"}
      </Text>
      <Stack gap="xs" mt="auto" pt="md">
        {build ? (
          <>
            <Group gap="xs">
              <BuildBadges build={build} />
              {project.open_questions > 0 && (
                <ToneBadge tone="waiting" icon={<IconMessageQuestion size={14} aria-hidden />}>
                  {plural(project.open_questions, "open question")}
                </ToneBadge>
              )}
              <Text fz="xs" c="dimmed" ml="auto">
                <TimeAgo at={build.finished_at ?? build.started_at ?? build.created_at} />
              </Text>
            </Group>
            <Segments
              label={`${build.phases_done} of ${plural(build.phase_count, "phase")} done`}
              parts={phaseParts(build.phase_count, build.phases_done)}
            />
          </>
        ) : (
          <Text fz="sm" c="dimmed">
            {project.origin === "demo" ? "Ready to build" : "No build yet"}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
