import { usePageTitle } from "@/domain/use-page-title";
import { RequirementsPage } from "@/features/requirements/requirements-page";
import { useCurrentProject } from "../project/current-project";

export default function ProjectRequirementsPage() {
  const project = useCurrentProject();
  usePageTitle("Requirements", project.name);
  return <RequirementsPage project={project} />;
}
