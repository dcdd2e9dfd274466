import { Anchor, Box, Code, Group, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { Disclosure } from "@/components/disclosure";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { buildName } from "@/domain/build-name";
import { resolutionOf } from "@/domain/error-resolution";
import type { ErrorSighting, ProjectError } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { toneLine, toneText } from "@/lib/tone";
import { phaseOf, sourceOf } from "./error-labels";
import { FailureMessage } from "./failure-message";
import { SeverityIcon } from "./severity-icon";

/** Builds that are listed before the rest is collapsed. */
const MAX_LISTED_BUILDS = 3;

interface ProjectErrorCardProps {
  projectId: string;
  error: ProjectError;
}

/** A distinct error of a project, with its occurrences and resolution in each build. */
export function ProjectErrorCard({ projectId, error }: ProjectErrorCardProps) {
  const [first, rest] = [
    error.sightings.slice(0, MAX_LISTED_BUILDS),
    error.sightings.slice(MAX_LISTED_BUILDS),
  ];
  const list = (sightings: ErrorSighting[]) => (
    <Stack
      component="ul"
      gap="xs"
      mt="xs"
      pt="xs"
      className="plain-list"
      style={{ borderTop: "1px solid var(--line)" }}
    >
      {sightings.map((sighting) => (
        <li key={sighting.build_id}>
          <Sighting projectId={projectId} error={error} sighting={sighting} />
        </li>
      ))}
    </Stack>
  );
  return (
    <Box
      component="article"
      p="sm"
      bg="var(--surface)"
      bd={`1px solid ${error.resolved ? "var(--line)" : toneLine("bad")}`}
      bdrs="md"
    >
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <SeverityIcon severity={error.severity} resolved={error.resolved} />
        <Box flex={1} miw={0}>
          <Group gap={6}>
            <Text fz="xs" c="dimmed">
              {sourceOf(error)}
            </Text>
            {error.file_path && <Code fz="xs">{error.file_path}</Code>}
            {error.severity === "fatal" && <ToneBadge tone="bad">Fatal</ToneBadge>}
            {error.regression && <ToneBadge tone="waiting">Regression</ToneBadge>}
          </Group>
          <FailureMessage message={error.message} />
          <Text fz="xs" c="dimmed" mt={4}>
            Seen {plural(error.occurrence_count, "time")} in {plural(error.build_count, "build")},
            first <TimeAgo at={error.first_seen} />, last <TimeAgo at={error.last_seen} />
          </Text>
          {list(first)}
          {rest.length > 0 && (
            <Disclosure summary={plural(rest.length, "earlier build")}>{list(rest)}</Disclosure>
          )}
        </Box>
      </Group>
    </Box>
  );
}

interface SightingProps extends ProjectErrorCardProps {
  sighting: ErrorSighting;
}

function Sighting({ projectId, error, sighting }: SightingProps) {
  const { build_number: build, first_seq: seq, phase, file_path: file } = sighting;
  const to =
    seq === null ? paths.build(projectId, build, "errors") : paths.event(projectId, build, seq);
  return (
    <Text fz="sm">
      <Anchor component={Link} to={to} fz="sm">
        {buildName({ number: build, title: sighting.build_title })}
      </Anchor>{" "}
      <Text span fz="xs" c="dimmed">
        ×{sighting.occurrence_count}
        {phase && phase !== error.phase && ` · ${phaseOf(phase)}`}
        {file && file !== error.file_path && ` · ${file}`}
        {sighting.regression && " · regression"}
      </Text>
      <br />
      {sighting.resolved ? (
        <>
          <Text span inherit fw={550} c={toneText("good")}>
            {resolutionOf(sighting.method)}
          </Text>
          {sighting.summary && `: ${sighting.summary}`}
        </>
      ) : (
        <Text span inherit fw={550} c={toneText("bad")}>
          Open
        </Text>
      )}
    </Text>
  );
}
