import { ProjectList } from "@/features/projects/project-list";
import { useTitle } from "@/lib/use-title";

export default function ProjectsPage() {
  useTitle("Projects");
  return <ProjectList />;
}
