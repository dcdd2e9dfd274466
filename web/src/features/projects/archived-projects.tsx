import { Box } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import { useArchivedProjects } from "./api";
import { ProjectCard } from "./project-card";
import classes from "./project-card.module.css";

/** The archived projects, if there are any. */
export function ArchivedProjects() {
  const projects = useArchivedProjects().data?.items ?? [];
  if (projects.length === 0) return null;
  return (
    <Box mt="xl">
      <Disclosure summary={`Archived projects (${projects.length})`}>
        <Box className={classes.grid} pt="md">
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </Box>
      </Disclosure>
    </Box>
  );
}
