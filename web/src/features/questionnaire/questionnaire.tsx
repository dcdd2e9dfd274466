import { Box } from "@mantine/core";
import type { ReactNode } from "react";
import { Navigate } from "react-router";
import { Columns } from "@/components/columns";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { useCanEdit } from "@/domain/project-access";
import { usePageTitle } from "@/domain/use-page-title";
import type { Project, Questionnaire as QuestionnaireRecord } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { AnswersConflict } from "./answers/answers-conflict";
import { firstStep, keptBeside } from "./answers/draft";
import { useAnswers } from "./answers/use-answers";
import { useGeneratedAnswers } from "./answers/use-generated-answers";
import { useQuestionnaire } from "./api";
import { Conversation } from "./conversation/conversation";
import { useLiveInterview } from "./conversation/interview-api";
import { Review } from "./form/review";
import { SectionForm } from "./form/section-form";
import { SizeSwitch } from "./form/size-switch";
import { StepList } from "./form/step-list";
import { ModeSwitch } from "./mode-switch";
import { SuggestionsCard } from "./suggestions/suggestions-card";

interface QuestionnaireProps {
  project: Project;
  /** A section, `review` or `conversation`; undefined for the default. */
  step: string | undefined;
  /** The step after the review; receives whether all required questions are answered and saved. */
  next: (ready: boolean) => ReactNode;
}

/** The questionnaire of a project, as a form or as a conversation that fills in the form. */
export function Questionnaire(props: QuestionnaireProps) {
  const { project } = props;
  const query = useQuestionnaire(project.id);
  return (
    <QueryView query={query} what="questionnaire">
      {(loaded) => <Form key={project.id} {...props} loaded={loaded} />}
    </QueryView>
  );
}

const SIZE_WORDS = {
  full: "Answer what you can and skip the rest. For a small project, the short form is enough.",
  mini: "The short form has fewer questions, for small projects.",
};

interface FormProps extends QuestionnaireProps {
  loaded: QuestionnaireRecord;
}

function Form({ project, step, next, loaded }: FormProps) {
  const form = useAnswers(project.id, loaded);
  const { query, lost } = useLiveInterview(project.id);
  const interview = query.data;
  useGeneratedAnswers(form, interview);
  const { draft, saved } = form.state;
  const { sections } = saved;
  const at = sections.findIndex(({ id }) => id === step);
  const section = sections[at];
  const talking = step === "conversation";
  usePageTitle(talking ? "Conversation" : (section?.title ?? "Review"), project.name);
  const mayChange = useCanEdit();
  if (!mayChange && step !== "review")
    return <Navigate replace to={paths.questionnaire(project.id, "review")} />;
  if (!section && !talking && step !== "review") {
    const first = firstStep(sections, draft.answers);
    return <Navigate replace to={paths.questionnaire(project.id, first)} />;
  }
  const kept = keptBeside(sections, draft.answers);
  const canTalk = interview && (interview.available || interview.messages.length > 0);
  return (
    <>
      <PageHeader
        title="Questionnaire"
        about={
          mayChange ? (
            <>
              {talking
                ? "Describe your project; the form is filled in as you go."
                : SIZE_WORDS[draft.size]}
              {kept > 0 &&
                ` ${plural(kept, "answer")} of the full form ${kept === 1 ? "is" : "are"} kept.`}
            </>
          ) : (
            `Answers of ${project.owner.name}.`
          )
        }
      >
        <OwnerOnly>
          {canTalk && <ModeSwitch projectId={project.id} talking={talking} />}
          <SizeSwitch form={form} />
        </OwnerOnly>
      </PageHeader>
      {talking ? (
        <Conversation form={form} query={query} lost={lost} />
      ) : (
        <Columns widths="15.5rem minmax(0, 1fr)">
          <OwnerOnly>
            <StepList form={form} step={step ?? ""} />
          </OwnerOnly>
          <Box miw={0}>
            <AnswersConflict form={form} />
            <OwnerOnly>
              <SuggestionsCard form={form} />
            </OwnerOnly>
            {section ? (
              <SectionForm key={section.id} form={form} section={section} at={at} />
            ) : (
              <Review form={form} projectName={project.name} next={next} />
            )}
          </Box>
        </Columns>
      )}
    </>
  );
}
