import { Button, Group, NativeSelect, Skeleton, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFolders, IconPlus, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { PanelBoundary } from "@/components/panel-boundary";
import { QueryView } from "@/components/query-view";
import type { Project } from "@/lib/api";
import { useProjects } from "./api";
import { ArchivedProjects } from "./archived-projects";
import { NewProject } from "./new-project";
import { ProjectCard } from "./project-card";
import classes from "./project-card.module.css";
import { findProjects, PROJECT_ORDERS, type ProjectOrder } from "./project-order";

/** Fewer are all visible at once. */
const MIN_SEARCHED = 5;
/** Whole rows of two, three and four cards. */
const PAGE_SIZE = 24;

interface ProjectListProps {
  startFromWords: (project: string, words: string) => Promise<string>;
  connectForm: (onClose: () => void) => ReactNode;
}

export function ProjectList({ startFromWords, connectForm }: ProjectListProps) {
  const query = useProjects();
  const [opened, { open, close }] = useDisclosure(false);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      New project
    </Button>
  );
  return (
    <>
      <Group justify="space-between" mb="lg">
        <Title order={1}>Projects</Title>
        {(query.data?.items.length ?? 0) > 0 && create}
      </Group>
      <NewProject
        opened={opened}
        onClose={close}
        startFromWords={startFromWords}
        connectForm={connectForm}
      />
      <QueryView query={query} what="projects" loading={<LoadingCards />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={<IconFolders size={22} />} title="No projects yet" action={create}>
              A project contains a repository, its contracts and its builds.
            </EmptyState>
          ) : (
            <ProjectCards projects={items} />
          )
        }
      </QueryView>
      <ArchivedProjects />
    </>
  );
}

function ProjectCards({ projects }: { projects: Project[] }) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<ProjectOrder>("new");
  const found = findProjects(projects, search, order);
  return (
    <>
      {projects.length >= MIN_SEARCHED && (
        <Group mb="md" gap="sm">
          <TextInput
            type="search"
            aria-label="Search projects"
            placeholder="Search projects"
            leftSection={<IconSearch size={16} aria-hidden />}
            flex={1}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <NativeSelect
            aria-label="Order of projects"
            data={PROJECT_ORDERS}
            value={order}
            onChange={(event) => setOrder(event.currentTarget.value as ProjectOrder)}
          />
        </Group>
      )}
      {found.length === 0 && (
        <Text c="dimmed" role="status">
          No project contains “{search}”.
        </Text>
      )}
      <LimitedList key={`${order} ${search}`} items={found} pageSize={PAGE_SIZE}>
        {(shown) => (
          <div className={classes.grid}>
            {shown.map((project) => (
              <PanelBoundary key={project.id} what={project.name}>
                <ProjectCard project={project} />
              </PanelBoundary>
            ))}
          </div>
        )}
      </LimitedList>
    </>
  );
}

function LoadingCards() {
  return (
    <div className={classes.grid} aria-busy="true" aria-label="Loading projects" role="status">
      {[1, 2, 3].map((n) => (
        <Skeleton key={n} height={184} radius="lg" />
      ))}
    </div>
  );
}
