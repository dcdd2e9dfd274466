import { usePageTitle } from "@/domain/use-page-title";
import { BacklogPage } from "@/features/backlog/backlog-page";
import { useCurrentProject } from "../project/current-project";

export default function ProjectBacklogPage() {
  const project = useCurrentProject();
  usePageTitle("Backlog", project.name);
  return <BacklogPage project={project} />;
}
