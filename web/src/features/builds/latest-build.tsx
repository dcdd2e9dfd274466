import { Button, Card, Group, Text, Title } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { Segments } from "@/components/segments";
import { StatusBadge } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { VerdictBadge } from "@/components/verdict-badge";
import type { BuildSummary } from "@/lib/api";
import { isFinal, STATUS } from "@/lib/build-status";
import { plural, shortBranch } from "@/lib/format";
import { paths } from "@/lib/paths";
import { phaseParts } from "@/lib/phase-parts";
import { VERDICT } from "@/lib/verdict";
import classes from "./latest-build.module.css";
import { StartBuild } from "./start-build";

export function LatestBuild({ projectId, build }: { projectId: string; build: BuildSummary }) {
  const done = isFinal(build.status);
  const asks = build.open_questions > 0 && !done;
  return (
    <Card
      component="section"
      aria-labelledby="latest-build"
      className={classes.card}
      data-asks={asks || undefined}
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
        </Group>
        <Text fz="xs" c="dimmed">
          <TimeAgo at={build.finished_at ?? build.started_at ?? build.created_at} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" mt="xs">
        {build.verdict ? VERDICT[build.verdict].meaning : STATUS[build.status].hint}
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
        <Group gap="xs" className={classes.actions}>
          {done && (
            <StartBuild projectId={projectId} label="Start another build" variant="default" />
          )}
          <Button
            component={Link}
            to={paths.build(projectId, build.id)}
            rightSection={<IconArrowRight size={16} aria-hidden />}
          >
            {asks ? "Answer the question" : done ? "Open the build" : "Watch it live"}
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
