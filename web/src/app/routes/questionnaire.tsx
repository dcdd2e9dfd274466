import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { ProjectRole } from "@/domain/project-access";
import { useProject } from "@/features/projects/api";
import { Questionnaire } from "@/features/questionnaire/questionnaire";
import { isStatus } from "@/lib/api-error";
import { AfterAnswers } from "../contracts/after-answers";
import NotFoundPage from "./not-found";

export default function QuestionnairePage() {
  const { projectId = "", step } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <QueryView query={project} what="project">
      {(project) => (
        <ProjectRole value={project}>
          <Questionnaire
            project={project}
            step={step}
            next={(ready) => <AfterAnswers projectId={project.id} ready={ready} />}
          />
        </ProjectRole>
      )}
    </QueryView>
  );
}
