import { Button, Card, Stack, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import type { Section } from "@/lib/api";
import { paths } from "@/lib/paths";
import { keyOf } from "../answers/draft";
import { fieldErrors } from "../answers/field-errors";
import type { AnswersForm } from "../answers/use-answers";
import classes from "../questionnaire.module.css";
import { QuestionField } from "./question-field";
import { useStepFocus } from "./use-step-focus";

interface SectionFormProps {
  form: AnswersForm;
  section: Section;
  /** The index of the section. */
  at: number;
}

/** The questions of a section. */
export function SectionForm({ form, section, at }: SectionFormProps) {
  const { projectId, saver, state, setAnswer } = form;
  const { sections } = state.saved;
  const errors = fieldErrors(state.error);
  const heading = useStepFocus();
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
      <Stack gap={32} mt={28}>
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
      </Stack>
      <nav className={classes.foot} aria-label="Step navigation">
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
            Skip
          </Button>
        )}
        <Button
          component={Link}
          to={paths.questionnaire(projectId, after?.id ?? "review")}
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          {after ? `Next: ${after.title}` : "Review answers"}
        </Button>
      </nav>
    </Card>
  );
}
