import { useParams } from "react-router";
import { Questionnaire } from "@/features/questionnaire/questionnaire";
import { AfterAnswers } from "../contracts/after-answers";
import { useCurrentProject } from "../project/current-project";

export default function QuestionnairePage() {
  const { step } = useParams();
  const project = useCurrentProject();
  return (
    <Questionnaire
      project={project}
      step={step}
      next={(ready) => <AfterAnswers projectId={project.id} ready={ready} />}
    />
  );
}
