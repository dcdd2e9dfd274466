import { usePageTitle } from "@/domain/use-page-title";
import { BuildsPage } from "@/features/builds/overview/builds-page";
import { useCurrentProject } from "../project/current-project";

export default function ProjectBuildsPage() {
  const project = useCurrentProject();
  usePageTitle("Builds", project.name);
  return <BuildsPage projectId={project.id} maxConcurrent={project.max_concurrent_builds} />;
}
