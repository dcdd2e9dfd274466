import { usePageTitle } from "@/domain/use-page-title";
import { ProjectErrors } from "@/features/builds/errors/project-errors";
import { useCurrentProject } from "../project/current-project";

export default function ErrorsPage() {
  const project = useCurrentProject();
  usePageTitle("Errors", project.name);
  return <ProjectErrors project={project} />;
}
