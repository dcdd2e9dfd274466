import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { ProjectErrors } from "@/features/errors/project-errors";
import { useProject } from "@/features/projects/api";
import type { Project } from "@/lib/api";
import { isStatus } from "@/lib/problem";
import { useTitle } from "@/lib/use-title";
import NotFoundPage from "./not-found";

export default function ErrorsPage() {
  const { projectId = "" } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <QueryView query={project} what="the project">
      {(project) => <Errors project={project} />}
    </QueryView>
  );
}

function Errors({ project }: { project: Project }) {
  useTitle("Errors", project.name);
  return <ProjectErrors project={project} />;
}
