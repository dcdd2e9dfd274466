import { Box, Flex, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { LinkRow } from "@/components/link-row";
import { NumberAndTitle } from "@/components/number-and-title";
import { Segments } from "@/components/segments";
import { BuildBadges } from "@/components/status-badge";
import { TimeAgo } from "@/components/time-ago";
import { WorkingTime } from "@/components/working-time";
import { isFinal } from "@/domain/build-status";
import { formatCompact, formatUsd, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import type { ListedBuild } from "./api";
import classes from "./build-row.module.css";
import { loadLabel, progressLabel, waitsLabel } from "./group-labels";

interface BuildRowProps {
  build: ListedBuild;
  /** When the list was fetched, in milliseconds. */
  fetchedAt: number;
  isOwner: boolean;
}

/** A link to a build, with its progress and what it has used. */
export function BuildRow({ build, fetchedAt, isOwner }: BuildRowProps) {
  const { heartbeat, used } = build;
  const waits = waitsLabel(build.waits_for, isOwner);
  return (
    <LinkRow
      className={classes.row}
      to={paths.build(build.project_slug, build.number)}
      px="md"
      py="sm"
      bdrs={0}
    >
      <Box component="span" miw={0}>
        <Text span display="block" fz="sm" fw={550} truncate>
          <NumberAndTitle build={build} />
        </Text>
        <Text span display="block" fz="xs" c="dimmed" truncate>
          {build.project_name} · {sinceWord(build)}{" "}
          <TimeAgo at={build.finished_at ?? build.created_at} />
        </Text>
      </Box>
      <Box component="span" miw={0}>
        <Flex component="span" gap={6} wrap="wrap">
          <BuildBadges build={build} />
        </Flex>
        {heartbeat && (
          <Text span display="block" fz="xs" mt={4} className="tabular">
            {progressLabel(heartbeat)}
          </Text>
        )}
        {waits && (
          <Text span display="block" fz="xs" c="dimmed" mt={4} className="tabular">
            {[waits, heartbeat && loadLabel(heartbeat)].filter(Boolean).join(" · ")}
          </Text>
        )}
      </Box>
      <Figure label="Phase">
        <Flex component="span" gap="xs" align="center">
          {phaseText(build)}
          <Segments label={phasesDone(build)} parts={phaseParts(build)} />
        </Flex>
      </Figure>
      <Figure label="Working time">
        {used ? (
          <WorkingTime ms={used.working_ms} fetchedAt={fetchedAt} running={used.is_working} />
        ) : (
          UNKNOWN
        )}
      </Figure>
      <Figure label="Tokens">
        {used ? <Of used={used.tokens} limit={used.budget_tokens} show={formatCompact} /> : UNKNOWN}
      </Figure>
      <Figure label="Cost">
        {used ? (
          <Of used={used.usd_micros} limit={used.budget_usd_micros} show={formatUsd} />
        ) : (
          UNKNOWN
        )}
      </Figure>
    </LinkRow>
  );
}

const UNKNOWN = "Not recorded";

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box component="span" miw={0}>
      <Text span display="block" fz="xs" c="dimmed">
        {label}
      </Text>
      <Text span display="block" fz="sm" className="tabular">
        {children}
      </Text>
    </Box>
  );
}

interface OfProps {
  used: number;
  limit: number | null;
  show: (value: number) => string;
}

/** What is used of a limit; a limit that is nearly used up stands out. */
function Of({ used, limit, show }: OfProps) {
  if (limit === null) return show(used);
  return (
    <>
      <Text span inherit fw={used >= 0.8 * limit ? 650 : undefined}>
        {show(used)}
      </Text>
      <Text span inherit c="dimmed">
        {" "}
        of {show(limit)}
      </Text>
    </>
  );
}

const sinceWord = ({ status, finished_at }: ListedBuild): string =>
  finished_at ? "ended" : status === "queued" ? "queued" : "started";

/** Such as "2 of 4": the current phase, or how many were done at the end. */
function phaseText({ status, phases_done, phase_count }: ListedBuild): string {
  const ended = isFinal(status) || status === "queued";
  const current = ended ? phases_done : Math.min(phases_done + 1, phase_count);
  return `${current} of ${phase_count}`;
}

const phasesDone = ({ phases_done, phase_count }: ListedBuild): string =>
  `${phases_done} of ${plural(phase_count, "phase")} done`;

function phaseParts({ status, phases_done, phase_count }: ListedBuild) {
  const isUnderWay = !isFinal(status) && status !== "queued";
  return Array.from({ length: phase_count }, (_, key) => {
    const isCurrent = isUnderWay && key === phases_done;
    return {
      key,
      state: key < phases_done ? "done" : isCurrent ? "current" : "ahead",
    } as const;
  });
}
