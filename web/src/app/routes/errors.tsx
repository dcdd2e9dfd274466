import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { usePageTitle } from "@/domain/use-page-title";
import { ProjectErrors } from "@/features/builds/errors/project-errors";
import { useProject } from "@/features/projects/api";
import type { Project } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import NotFoundPage from "./not-found";

export default function ErrorsPage() {
  const { projectId = "" } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <QueryView query={project} what="project">
      {(project) => <Errors project={project} />}
    </QueryView>
  );
}

function Errors({ project }: { project: Project }) {
  usePageTitle("Errors", project.name);
  return <ProjectErrors project={project} />;
}
