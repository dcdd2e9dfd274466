import { Button, Group, Skeleton, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFolders, IconPlus } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { useProjects } from "./api";
import { NewProject } from "./new-project";
import { ProjectCard } from "./project-card";
import classes from "./project-card.module.css";

interface ProjectListProps {
  startFromWords: (project: string, words: string) => Promise<string>;
}

export function ProjectList({ startFromWords }: ProjectListProps) {
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
      <NewProject opened={opened} onClose={close} startFromWords={startFromWords} />
      <QueryView query={query} what="projects" loading={<LoadingCards />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={<IconFolders size={22} />} title="No projects yet" action={create}>
              A project contains a repository, its contracts and its builds.
            </EmptyState>
          ) : (
            <div className={classes.grid}>
              {items.map((project) => (
                <ProjectCard key={project.id} project={project} />
              ))}
            </div>
          )
        }
      </QueryView>
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
