import {
  Alert,
  Button,
  Card,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconArrowsExchange, IconGitCompare } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import { ChangesView } from "@/components/changes/changes-view";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { buildName } from "@/domain/build-name";
import { isFinal } from "@/domain/build-status";
import { useChangedFiles } from "@/domain/changes/change-source";
import type { BuildSummary } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useBuilds } from "../api";
import { useDiffLocation } from "../changes/use-diff-location";
import { type BuildComparison, type ComparedBuild, useComparison } from "./api";
import { ComparedErrors } from "./compared-errors";
import { ComparedFigures } from "./compared-figures";
import { ComparedRequirements } from "./compared-requirements";

/** Two builds of a project, which the page's address names by their numbers. */
export function ComparePage({ projectId }: { projectId: string }) {
  const [query, setQuery] = useSearchParams();
  const from = numberOf(query.get("from"));
  const to = numberOf(query.get("to"));
  const choose = (from: number | null, to: number | null) =>
    setQuery(
      { ...(from && { from: String(from) }), ...(to && { to: String(to) }) },
      { replace: true, preventScrollReset: true },
    );
  return (
    <>
      <PageHeader
        back={{ to: paths.builds(projectId), name: "Builds" }}
        title="Compare builds"
        about="What differs between two builds of this project: results, requirements, errors and files."
      />
      <QueryView query={useBuilds(projectId)} what="builds">
        {(builds) =>
          builds.length < 2 ? (
            <EmptyState
              icon={<IconGitCompare size={22} />}
              title={builds.length === 0 ? "No builds yet" : "There is only one build"}
            >
              Two builds of this project are needed for a comparison.
            </EmptyState>
          ) : (
            <Stack gap="lg">
              <Group component="search" gap="xs" align="flex-end">
                <BuildSelect
                  label="From"
                  builds={builds}
                  value={from}
                  onChange={(from) => choose(from, to)}
                />
                <Button
                  variant="default"
                  aria-label="Swap both builds"
                  px="sm"
                  disabled={from === null || to === null}
                  onClick={() => choose(to, from)}
                >
                  <IconArrowsExchange size={16} aria-hidden />
                </Button>
                <BuildSelect
                  label="To"
                  builds={builds}
                  value={to}
                  onChange={(to) => choose(from, to)}
                />
              </Group>
              {from === null || to === null || from === to ? (
                <EmptyState icon={<IconGitCompare size={22} />} title="Choose two different builds">
                  Changes are shown from the first one to the second one.
                </EmptyState>
              ) : (
                <Comparison key={`${from}-${to}`} projectId={projectId} from={from} to={to} />
              )}
            </Stack>
          )
        }
      </QueryView>
    </>
  );
}

const numberOf = (text: string | null) =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;

interface BuildSelectProps {
  label: string;
  builds: BuildSummary[];
  value: number | null;
  onChange: (build: number | null) => void;
}

function BuildSelect({ label, builds, value, onChange }: BuildSelectProps) {
  const isKnown = builds.some(({ number }) => number === value);
  const choices = builds.map((build) => ({ value: String(build.number), label: buildName(build) }));
  return (
    <NativeSelect
      flex="1 1 12rem"
      maw="24rem"
      label={label}
      data={isKnown ? choices : [{ value: "", label: "Choose a build" }, ...choices]}
      value={isKnown ? String(value) : ""}
      onChange={(event) => onChange(numberOf(event.currentTarget.value))}
    />
  );
}

interface ComparisonProps {
  projectId: string;
  from: number;
  to: number;
}

function Comparison({ projectId, from, to }: ComparisonProps) {
  return (
    <QueryView
      query={useComparison(projectId, from, to)}
      what="the comparison"
      loading={<Skeleton height={320} radius="lg" />}
    >
      {(both) => (
        <>
          <Unfinished builds={[both.from, both.to]} />
          <ComparedFigures comparison={both} />
          <ComparedRequirements comparison={both} />
          <ComparedErrors comparison={both} />
          <ComparedChanges projectId={projectId} comparison={both} />
        </>
      )}
    </QueryView>
  );
}

/** Says which builds can still change. */
function Unfinished({ builds }: { builds: ComparedBuild[] }) {
  const open = builds.filter(({ status }) => !isFinal(status));
  if (open.length === 0) return null;
  const names = open.map(({ number }) => `#${number}`).join(" and ");
  return (
    <Alert variant="light" color="blue" title={`${names} is not finished`}>
      It is compared as it is now, with its newest commit. Files that its agents are changing are
      not included until they are committed.
    </Alert>
  );
}

function ComparedChanges({
  projectId,
  comparison: { from, to },
}: {
  projectId: string;
  comparison: BuildComparison;
}) {
  const without = [from, to].filter(({ head_sha }) => head_sha === null);
  return (
    <section aria-labelledby="compared-changes">
      <Title order={2} id="compared-changes" mb={2}>
        Changes
      </Title>
      <Text c="dimmed" fz="sm" mb="sm">
        From the newest commit of #{from.number} to that of #{to.number}.
      </Text>
      {without.length > 0 ? (
        <Card>
          <Text fz="sm" c="dimmed">
            {without.map(({ number }) => `#${number}`).join(" and ")} has no branch yet, so there
            are no files to compare.
          </Text>
        </Card>
      ) : (
        <Files projectId={projectId} from={from} to={to} />
      )}
    </section>
  );
}

function Files({
  projectId,
  from,
  to,
}: {
  projectId: string;
  from: ComparedBuild;
  to: ComparedBuild;
}) {
  const [place, setPlace, linkTo] = useDiffLocation();
  const source = {
    of: "builds",
    build: to.id,
    commit: to.head_sha,
    since: { project: projectId, build: from.id, from: from.number, to: to.number },
  } as const;
  const head = to.head_sha;
  return (
    <QueryView query={useChangedFiles(source)} what="changes">
      {(changes) => (
        <Card p={0} h={changes.files.length === 0 ? undefined : "min(80vh, 60rem)"}>
          <ChangesView
            source={source}
            changes={changes}
            place={{ file: place.file, line: place.line ?? null }}
            onFile={(file) => setPlace({ commit: null, file })}
            onLine={(file, line) => linkTo({ commit: null, file, line })}
            canView={false}
            linkOf={
              head === null
                ? undefined
                : (path) => paths.buildFile(projectId, to.number, head, path)
            }
            empty={{
              title: "The files of both builds are equal",
              text: "Their newest commits contain the same files.",
            }}
          />
        </Card>
      )}
    </QueryView>
  );
}
