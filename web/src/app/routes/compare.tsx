import { usePageTitle } from "@/domain/use-page-title";
import { ComparePage } from "@/features/builds/compare/compare-page";
import { useCurrentProject } from "../project/current-project";

export default function CompareBuilds() {
  const project = useCurrentProject();
  usePageTitle("Compare builds", project.name);
  return <ComparePage projectId={project.id} />;
}
