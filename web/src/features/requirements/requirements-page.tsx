import { Alert, Anchor, Box, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { isAssumption, phasesLabel, sentence } from "@/components/requirements/requirement-labels";
import { RequirementText } from "@/components/requirements/requirement-text";
import { SectionCard } from "@/components/section-card";
import type { Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { AddToBacklog } from "./add-to-backlog";
import { type ProjectRequirement, type ProjectRequirements, useRequirements } from "./api";
import { AssumptionActions } from "./assumption-actions";

const FILTERS = {
  all: { label: "All", shows: () => true },
  open: {
    label: "Not proven",
    shows: ({ state }: ProjectRequirement) => state !== "proven",
  },
  must: { label: "Must", shows: ({ priority }: ProjectRequirement) => priority === "must" },
};
type Filter = keyof typeof FILTERS;
const CHOICES = (Object.keys(FILTERS) as Filter[]).map((value) => ({
  value,
  label: FILTERS[value].label,
}));

/** The requirements of the blueprint: what is proven, and assumptions to confirm. */
export function RequirementsPage({ project }: { project: Project }) {
  const query = useRequirements(project.id);
  return (
    <>
      <PageHeader
        title="Requirements"
        about="What the blueprint requires, and what the newest sealed build proves."
      >
        {project.origin !== "demo" && (
          <OwnerOnly>
            <AddToBacklog projectId={project.id} requirements={query.data?.items ?? []} />
          </OwnerOnly>
        )}
      </PageHeader>
      <QueryView query={query} what="requirements">
        {(requirements) =>
          requirements.items.length === 0 ? (
            <NoRequirements project={project} isWritten={requirements.version > 0} />
          ) : (
            <Requirements project={project} requirements={requirements} />
          )
        }
      </QueryView>
    </>
  );
}

function NoRequirements({ project, isWritten }: { project: Project; isWritten: boolean }) {
  const blueprint = (
    <Anchor component={Link} to={paths.contract(project.id, "blueprint")}>
      Open the blueprint
    </Anchor>
  );
  return (
    <EmptyState
      icon={<IconListDetails size={22} />}
      title={isWritten ? "No requirements with ids" : "No blueprint yet"}
      action={blueprint}
    >
      {isWritten
        ? "Give each requirement an id in the blueprint’s section “Requirements”, as in “**R-1** (must, stated) …”, to trace it to its proof."
        : "Requirements appear here once the blueprint is written."}
    </EmptyState>
  );
}

interface RequirementsProps {
  project: Project;
  requirements: ProjectRequirements;
}

function Requirements({ project, requirements }: RequirementsProps) {
  const { items, problems, version, build_number } = requirements;
  const [filter, setFilter] = useState<Filter>("all");
  const assumptions = items.filter(isAssumption);
  const proven = items.filter(({ state }) => state === "proven").length;
  const shown = items.filter(FILTERS[filter].shows);
  return (
    <Stack gap="lg">
      {problems.length > 0 && (
        <Alert color="yellow" title="Some requirements could not be read">
          <Box component="ul" m={0} pl="lg">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </Box>
        </Alert>
      )}
      {assumptions.length > 0 && (
        <SectionCard
          title="Assumptions"
          description="The writer of the blueprint decided these. Confirm, change or remove them: a build is not certified while a must is unconfirmed."
        >
          <PlainList>
            {assumptions.map((requirement) => (
              <PlainListItem key={requirement.id}>
                <Box flex="1 1 20rem" miw={0}>
                  <RequirementText requirement={requirement} state={requirement.state} />
                </Box>
                <OwnerOnly>
                  <AssumptionActions
                    projectId={project.id}
                    version={version}
                    requirement={requirement}
                  />
                </OwnerOnly>
              </PlainListItem>
            ))}
          </PlainList>
        </SectionCard>
      )}
      <SectionCard
        title={`${proven} of ${plural(items.length, "requirement")} proven`}
        description={
          build_number ? (
            <>
              According to the newest sealed build,{" "}
              <Anchor component={Link} to={paths.build(project.id, build_number, "requirements")}>
                #{build_number}
              </Anchor>
              .
            </>
          ) : (
            "No build has been sealed yet."
          )
        }
        action={
          <SegmentedControl
            size="xs"
            aria-label="Filter"
            data={CHOICES}
            value={filter}
            onChange={(value) => setFilter(value as Filter)}
          />
        }
      >
        {shown.length === 0 ? (
          <Text c="dimmed" fz="sm">
            No matching requirements.
          </Text>
        ) : (
          <LimitedList key={filter} items={shown} pageSize={50}>
            {(listed) => (
              <PlainList>
                {listed.map((requirement) => (
                  <PlainListItem key={requirement.id}>
                    <RequirementText requirement={requirement} state={requirement.state}>
                      <Text fz="sm" c="dimmed">
                        {[phasesLabel(requirement.phases), sentence(requirement.reason)]
                          .filter(Boolean)
                          .join(" · ")}
                      </Text>
                    </RequirementText>
                  </PlainListItem>
                ))}
              </PlainList>
            )}
          </LimitedList>
        )}
      </SectionCard>
    </Stack>
  );
}
