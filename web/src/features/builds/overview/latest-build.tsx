import { Button, Card, Group, Text, Title } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { NumberAndTitle } from "@/components/number-and-title";
import { Segments } from "@/components/segments";
import { BuildBadges } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { buildState } from "@/domain/build-status";
import { phaseParts } from "@/domain/phase-segments";
import { useCanEdit } from "@/domain/project-access";
import type { BuildSummary } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { toneLine } from "@/lib/tone";
import { StartBuild } from "./start-build";

interface LatestBuildProps {
  projectId: string;
  build: BuildSummary;
  /** Whether the project may have another unfinished build. */
  mayStart: boolean;
}

export function LatestBuild({ projectId, build, mayStart }: LatestBuildProps) {
  const mayChange = useCanEdit();
  const { tone, hint, action } = buildState(build);
  // Nothing is left to do in a cancelled build.
  const isOver = build.status === "abandoned" && mayChange;
  return (
    <Card
      component="section"
      aria-labelledby="latest-build"
      bd={tone === "waiting" || tone === "bad" ? `1px solid ${toneLine(tone)}` : undefined}
    >
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Title order={2} id="latest-build">
            Latest build
          </Title>
          <BuildBadges build={build} />
        </Group>
        <Text fz="xs" c="dimmed">
          <TimeAgo at={build.finished_at ?? build.started_at ?? build.created_at} />
        </Text>
      </Group>
      <Text fw={550} mt="xs" truncate>
        <NumberAndTitle build={build} />
      </Text>
      <Text fz="sm" c="dimmed" mt={4}>
        {hint}
      </Text>
      <Group gap="sm" mt="md" wrap="nowrap">
        <Segments
          label={`${build.phases_done} of ${plural(build.phase_count, "phase")} done`}
          parts={phaseParts(build.phase_count, build.phases_done)}
        />
        <Text fz="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {build.phases_done} of {plural(build.phase_count, "phase")}
        </Text>
      </Group>
      <Group justify="space-between" gap="sm" mt="lg">
        <Text ff="monospace" fz="xs" c="dimmed" truncate>
          {build.branch}
        </Text>
        <Group gap="xs" flex={{ base: "1 1 100%", xs: "0 1 auto" }}>
          {mayStart && (
            <StartBuild
              projectId={projectId}
              label="Start new build"
              variant={isOver ? "filled" : "default"}
            />
          )}
          <Button
            component={Link}
            to={paths.build(projectId, build.number, action.tab)}
            variant={isOver ? "default" : "filled"}
            rightSection={<IconArrowRight size={16} aria-hidden />}
          >
            {mayChange ? action.label : "Open build"}
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
