import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { ProjectRole } from "@/domain/project-access";
import { usePageTitle } from "@/domain/use-page-title";
import { useProject } from "@/features/projects/api";
import { RequirementsPage } from "@/features/requirements/requirements-page";
import type { Project } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import NotFoundPage from "./not-found";

export default function ProjectRequirementsPage() {
  const { projectId = "" } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <ProjectRole value={project.data ?? null}>
      <QueryView query={project} what="project">
        {(project) => <Requirements project={project} />}
      </QueryView>
    </ProjectRole>
  );
}

function Requirements({ project }: { project: Project }) {
  usePageTitle("Requirements", project.name);
  return <RequirementsPage project={project} />;
}
