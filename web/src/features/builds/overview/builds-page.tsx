import { Button, Skeleton } from "@mantine/core";
import { IconGitCompare, IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { unfinished } from "@/domain/build-status";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useBuilds } from "../api";
import { BuildList } from "./build-list";
import { StartBuild } from "./start-build";

interface BuildsPageProps {
  projectId: string;
  /** Builds that may be unfinished at a time. */
  maxConcurrent: number;
}

/** All builds of a project. */
export function BuildsPage({ projectId, maxConcurrent }: BuildsPageProps) {
  const query = useBuilds(projectId);
  const mayStart = query.data && unfinished(query.data).length < maxConcurrent;
  const [newest, earlier] = query.data ?? [];
  return (
    <>
      <PageHeader
        title="Builds"
        about="Each build works on its own branch. Branches and journals of builds are kept."
      >
        {newest && earlier && (
          <Button
            variant="default"
            component={Link}
            to={paths.compare(projectId, earlier.number, newest.number)}
            leftSection={<IconGitCompare size={16} aria-hidden />}
          >
            Compare builds
          </Button>
        )}
        <OwnerOnly>
          {mayStart && <StartBuild projectId={projectId} label="Start build" />}
        </OwnerOnly>
      </PageHeader>
      <QueryView query={query} what="builds" loading={<Skeleton height={180} radius="lg" />}>
        {(builds) =>
          builds.length === 0 ? (
            <EmptyState icon={<IconHammer size={22} />} title="No builds yet">
              A build implements the contracts phase by phase.
            </EmptyState>
          ) : (
            <SectionCard title={plural(builds.length, "build")} description="Newest first.">
              <LimitedList items={builds}>{(shown) => <BuildList builds={shown} />}</LimitedList>
            </SectionCard>
          )
        }
      </QueryView>
    </>
  );
}
