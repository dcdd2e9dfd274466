import { Button, Card, Group, Text, Title } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { ChangesRequestedBadge } from "@/components/changes-requested-badge";
import { Segments } from "@/components/segments";
import { StatusBadge } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { VerdictBadge } from "@/components/verdict-badge";
import { isFinal, STATUS } from "@/domain/build-status";
import { phaseParts } from "@/domain/phase-segments";
import { VERDICT } from "@/domain/verdict";
import type { BuildSummary } from "@/lib/api";
import { plural, shortBranch } from "@/lib/format";
import { paths } from "@/lib/paths";
import { toneLine } from "@/lib/tone";
import { StartBuild } from "./start-build";

export function LatestBuild({ projectId, build }: { projectId: string; build: BuildSummary }) {
  const done = isFinal(build.status);
  const asks = build.open_questions > 0 && !done;
  return (
    <Card
      component="section"
      aria-labelledby="latest-build"
      bd={asks ? `1px solid ${toneLine("waiting")}` : undefined}
    >
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Title order={2} id="latest-build">
            Latest build
          </Title>
          {build.verdict ? (
            <VerdictBadge verdict={build.verdict} />
          ) : (
            <StatusBadge status={build.status} />
          )}
          {build.changes_requested && <ChangesRequestedBadge />}
        </Group>
        <Text fz="xs" c="dimmed">
          <TimeAgo at={build.finished_at ?? build.started_at ?? build.created_at} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" mt="xs">
        {build.verdict ? VERDICT[build.verdict].meaning : STATUS[build.status].hint}
        {build.changes_requested && " A reviewer requested changes. Open build for details."}
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
          {shortBranch(build.branch)}
        </Text>
        <Group gap="xs" flex={{ base: "1 1 100%", xs: "0 1 auto" }}>
          {done && <StartBuild projectId={projectId} label="Start new build" variant="default" />}
          <Button
            component={Link}
            to={paths.build(projectId, build.id)}
            rightSection={<IconArrowRight size={16} aria-hidden />}
          >
            {asks ? "Answer question" : done ? "Open build" : "Watch live"}
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
