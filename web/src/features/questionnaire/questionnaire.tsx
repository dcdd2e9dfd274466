import type { ReactNode } from "react";
import { Navigate } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { PageHead } from "@/components/page-head";
import { QueryView } from "@/components/query-view";
import type { Project, Questionnaire as QuestionnaireRecord } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useMayChange } from "@/lib/project-role";
import { useTitle } from "@/lib/use-title";
import { AnswersConflict } from "./answers-conflict";
import { useQuestionnaire } from "./api";
import { Conversation } from "./conversation";
import { firstStep, keptBeside } from "./draft";
import { useLiveInterview } from "./interview-api";
import classes from "./questionnaire.module.css";
import { Review } from "./review";
import { SectionForm } from "./section-form";
import { SizeSwitch } from "./size-switch";
import { StepList } from "./step-list";
import { useAnswers } from "./use-answers";
import { useUnderstood } from "./use-understood";
import { WaySwitch } from "./way-switch";

interface QuestionnaireProps {
  project: Project;
  /** A section, `review`, `conversation`, or nothing yet. */
  step: string | undefined;
  /** The way on from the review; told whether all that is needed is answered, and saved. */
  next: (ready: boolean) => ReactNode;
}

/** What is asked about a project: a form, step by step, and a conversation that fills it. */
export function Questionnaire(props: QuestionnaireProps) {
  const { project } = props;
  const query = useQuestionnaire(project.id);
  return (
    <QueryView query={query} what="the questions">
      {(loaded) => <Form key={project.id} {...props} loaded={loaded} />}
    </QueryView>
  );
}

const SIZE_WORDS = {
  full: "Answer what you know; leave the rest open. For something small, the mini form is enough.",
  mini: "The mini form asks only what something small needs.",
};

interface FormProps extends QuestionnaireProps {
  loaded: QuestionnaireRecord;
}

function Form({ project, step, next, loaded }: FormProps) {
  const form = useAnswers(project.id, loaded);
  const { query, lost } = useLiveInterview(project.id);
  const interview = query.data;
  useUnderstood(form, interview);
  const { draft, saved } = form.state;
  const { sections } = saved;
  const at = sections.findIndex(({ id }) => id === step);
  const section = sections[at];
  const talking = step === "conversation";
  useTitle(talking ? "Conversation" : (section?.title ?? "Review"), project.name);
  const mayChange = useMayChange();
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
      <PageHead
        back={{ to: paths.project(project.id), name: project.name }}
        title="What should be built"
        about={
          mayChange ? (
            <>
              {talking
                ? "Say it as you would tell a colleague: the form fills as you talk."
                : SIZE_WORDS[draft.size]}
              {kept > 0 &&
                ` ${plural(kept, "answer")} of the full form ${kept === 1 ? "is" : "are"} kept, and back when you switch.`}
            </>
          ) : (
            `What ${project.owner.name} answered.`
          )
        }
      >
        <OwnerOnly>
          {canTalk && <WaySwitch projectId={project.id} talking={talking} />}
          <SizeSwitch form={form} />
        </OwnerOnly>
      </PageHead>
      {talking ? (
        <Conversation form={form} query={query} lost={lost} />
      ) : (
        <div className={classes.columns}>
          <OwnerOnly>
            <StepList form={form} step={step ?? ""} />
          </OwnerOnly>
          <div className={classes.content}>
            <AnswersConflict form={form} />
            {section ? (
              <SectionForm key={section.id} form={form} section={section} at={at} />
            ) : (
              <Review form={form} projectName={project.name} next={next} />
            )}
          </div>
        </div>
      )}
    </>
  );
}
