import { ProjectList } from "@/features/projects/project-list";
import { startFromWords } from "@/features/questionnaire/start-from-words";
import { useTitle } from "@/lib/use-title";

export default function ProjectsPage() {
  useTitle("Projects");
  return <ProjectList startFromWords={startFromWords} />;
}
