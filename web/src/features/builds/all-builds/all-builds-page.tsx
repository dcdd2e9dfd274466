import {
  Button,
  Card,
  Chip,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import type { Project, Schemas } from "@/lib/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type BuildGroup, type ListedBuild, useAllBuilds } from "./api";
import { BuildRow } from "./build-row";
import { GROUP_LABELS, GROUPS } from "./group-labels";
import { useBuildsFilter } from "./use-builds-filter";

type Counts = Schemas["BuildCounts"];

/** The builds of all projects, by what is to be done with them. */
export function AllBuildsPage({ projects }: { projects: Project[] }) {
  const [filter, change] = useBuildsFilter();
  const query = useAllBuilds(filter);
  const counts = query.data?.pages[0]?.counts;
  const builds = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = filter.group !== null || filter.project !== null;
  const isOwner = (build: ListedBuild) =>
    projects.find(({ id }) => id === build.project_id)?.role === "owner";
  const choices = projects.map(({ slug, name }) => ({ value: slug, label: name }));
  return (
    <>
      <PageHeader
        title="Builds of all projects"
        about="What is running, what is waiting, and for whom. Builds of archived projects are left out."
      >
        <Button component={Link} to={paths.allBacklogs} variant="default">
          Backlogs of all projects
        </Button>
      </PageHeader>
      <Group component="search" gap="sm" mb="md" justify="space-between">
        <Chip.Group
          value={filter.group ?? "all"}
          onChange={(value) => change({ group: GROUPS.find((group) => group === value) ?? null })}
        >
          <Group gap="xs" role="radiogroup" aria-label="Status">
            <GroupChip value="all" label="All" count={counts && totalOf(counts, null)} />
            {GROUPS.map((group) => (
              <GroupChip
                key={group}
                value={group}
                label={GROUP_LABELS[group]}
                count={counts?.[group]}
              />
            ))}
          </Group>
        </Chip.Group>
        {projects.length > 1 && (
          <NativeSelect
            aria-label="Project"
            data={[{ value: "", label: "All projects" }, ...choices]}
            value={filter.project ?? ""}
            onChange={(event) => change({ project: event.currentTarget.value || null })}
          />
        )}
      </Group>
      <QueryView query={query} what="builds" loading={<Skeleton height={220} radius="lg" />}>
        {() =>
          builds.length === 0 ? (
            <EmptyState
              icon={<IconHammer size={22} />}
              title={isFiltered ? "No builds match" : "No builds yet"}
            >
              {isFiltered
                ? "Choose another status or project."
                : "Start a build in a project. It appears here with what it is waiting for."}
            </EmptyState>
          ) : (
            <Stack gap="lg">
              {GROUPS.map((group) => (
                <GroupCard
                  key={group}
                  group={group}
                  total={counts?.[group] ?? 0}
                  builds={builds.filter((build) => build.group === group)}
                  fetchedAt={query.dataUpdatedAt}
                  isOwner={isOwner}
                />
              ))}
              <ShowMore
                query={query}
                shown={builds.length}
                total={counts && totalOf(counts, filter.group)}
              />
            </Stack>
          )
        }
      </QueryView>
    </>
  );
}

const totalOf = (counts: Counts, group: BuildGroup | null): number =>
  GROUPS.reduce((sum, it) => (group === null || it === group ? sum + counts[it] : sum), 0);

interface GroupChipProps {
  value: string;
  label: string;
  /** Unknown until the first page is loaded. */
  count: number | undefined;
}

function GroupChip({ value, label, count }: GroupChipProps) {
  return (
    <Chip value={value} size="xs" variant="outline">
      {label}
      {count !== undefined && ` ${formatCount(count)}`}
    </Chip>
  );
}

interface GroupCardProps {
  group: BuildGroup;
  /** On all pages. */
  total: number;
  builds: ListedBuild[];
  fetchedAt: number;
  isOwner: (build: ListedBuild) => boolean;
}

function GroupCard({ group, total, builds, fetchedAt, isOwner }: GroupCardProps) {
  if (builds.length === 0) return null;
  const label = GROUP_LABELS[group];
  return (
    <section aria-label={label}>
      <Group gap="xs" mb="xs" align="baseline">
        <Title order={2} fz="md">
          {label}
        </Title>
        <Text span fz="sm" c="dimmed" className="tabular">
          {formatCount(total)}
        </Text>
      </Group>
      <Card component="ul" p={0} className="plain-list lined" aria-label={label}>
        {builds.map((build) => (
          <li key={build.id}>
            <BuildRow build={build} fetchedAt={fetchedAt} isOwner={isOwner(build)} />
          </li>
        ))}
      </Card>
    </section>
  );
}
