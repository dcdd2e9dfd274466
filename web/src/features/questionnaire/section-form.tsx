import { Button, Card, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import type { Section } from "@/lib/api";
import { paths } from "@/lib/paths";
import { keyOf } from "./draft";
import { errorsOf } from "./errors-of";
import { QuestionField } from "./question-field";
import classes from "./questionnaire.module.css";
import type { AnswersForm } from "./use-answers";
import { useArrival } from "./use-arrival";

interface SectionFormProps {
  form: AnswersForm;
  section: Section;
  /** Which of the sections it is, from 0. */
  at: number;
}

/** One step: the questions of a section. */
export function SectionForm({ form, section, at }: SectionFormProps) {
  const { projectId, saver, state, setAnswer } = form;
  const { sections } = state.saved;
  const errors = errorsOf(state.error);
  const heading = useArrival();
  const [before, after] = [sections[at - 1], sections[at + 1]];
  return (
    <Card
      component="section"
      aria-labelledby="step-title"
      className={classes.card}
      onBlur={() => void saver.flush()}
    >
      <Text fz="xs" c="dimmed" fw={550} className={classes.number}>
        Step {at + 1} of {sections.length}
      </Text>
      <Title order={2} id="step-title" ref={heading} tabIndex={-1} className={classes.stepTitle}>
        {section.title}
      </Title>
      <Text c="dimmed" fz="sm" mt={2}>
        {section.about}
      </Text>
      <div className={classes.questions}>
        {section.questions.map((question) => {
          const key = keyOf(section.id, question.id);
          return (
            <QuestionField
              key={key}
              name={key}
              question={question}
              value={state.draft.answers[key]}
              error={errors[key]}
              onAnswer={setAnswer}
            />
          );
        })}
      </div>
      <nav className={classes.foot} aria-label="Steps before and after">
        {before ? (
          <Button
            component={Link}
            to={paths.questionnaire(projectId, before.id)}
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
          >
            Back
          </Button>
        ) : (
          <Button component={Link} to={paths.project(projectId)} variant="subtle" color="gray">
            Later
          </Button>
        )}
        <Button
          component={Link}
          to={paths.questionnaire(projectId, after?.id ?? "review")}
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          {after ? `Next: ${after.title}` : "Review the answers"}
        </Button>
      </nav>
    </Card>
  );
}
