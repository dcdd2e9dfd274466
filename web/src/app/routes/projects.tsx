import { usePageTitle } from "@/domain/use-page-title";
import { ProjectList } from "@/features/projects/project-list";
import { startFromDescription } from "@/features/questionnaire/start-from-description";
import { ConnectRepository } from "@/features/remotes/connect-repository";

export default function ProjectsPage() {
  usePageTitle("Projects");
  return (
    <ProjectList
      startFromWords={startFromDescription}
      connectForm={(onClose) => <ConnectRepository onClose={onClose} />}
    />
  );
}
