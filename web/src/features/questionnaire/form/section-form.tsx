import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { CardPart } from "@/components/card-part";
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
      <Text fz="xs" c="dimmed" fw={550} visibleFrom="md">
        Step {at + 1} of {sections.length}
      </Text>
      <Title
        order={2}
        fz="xl"
        id="step-title"
        ref={heading}
        tabIndex={-1}
        style={{ outline: "none" }}
      >
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
      <CardPart mt="xl" pt={20}>
        <nav aria-label="Step navigation">
          <Group justify="space-between" gap="sm">
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
          </Group>
        </nav>
      </CardPart>
    </Card>
  );
}
