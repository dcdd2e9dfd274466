import { ActionIcon, Alert, Anchor, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconCircleCheck, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { SectionCard } from "@/components/section-card";
import type { Question, Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { AnswerText } from "./answer-text";
import { AnswersFile } from "./answers-file-buttons";
import { isEmpty, keyOf, progressOf } from "./draft";
import classes from "./review.module.css";
import type { AnswersForm } from "./use-answers";
import { useArrival } from "./use-arrival";

interface ReviewProps {
  form: AnswersForm;
  projectName: string;
  /** The way on; told whether all that is needed is answered, and saved. */
  next: (ready: boolean) => ReactNode;
}

/** All answers on one page, what is missing, and what comes next. */
export function Review({ form, projectName, next }: ReviewProps) {
  const { saved, draft, status } = form.state;
  const { sections } = saved;
  const { missing } = progressOf(sections, draft.answers);
  const heading = useArrival();
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2} ref={heading} tabIndex={-1} className={classes.title}>
          Review
        </Title>
        <OwnerOnly>
          <AnswersFile form={form} projectName={projectName} />
        </OwnerOnly>
      </Group>
      <OwnerOnly>
        <Missing form={form} />
      </OwnerOnly>
      {sections.map((section) => (
        <SectionAnswers key={section.id} form={form} section={section} />
      ))}
      <OwnerOnly>
        <SectionCard
          title="What comes next"
          description="Nine contracts say what is built and how: each build is held to them. They follow from these answers."
        >
          {next(missing.length === 0 && status === "saved")}
        </SectionCard>
      </OwnerOnly>
    </Stack>
  );
}

function Missing({ form }: { form: AnswersForm }) {
  const { saved, draft } = form.state;
  const { missing, answered, questions } = progressOf(saved.sections, draft.answers);
  if (missing.length === 0)
    return (
      <Alert
        role="note"
        color="teal"
        icon={<IconCircleCheck aria-hidden />}
        title="Everything needed is here"
      >
        {answered === questions
          ? "Every question has its answer."
          : `${plural(questions - answered, "question")} that you left open will be decided for you.`}
      </Alert>
    );
  return (
    <Alert role="note" color="yellow" title={`${plural(missing.length, "answer")} still needed`}>
      <List size="sm" spacing={4}>
        {missing.map(({ section, question }) => (
          <List.Item key={keyOf(section.id, question.id)}>
            <Anchor
              component={Link}
              inherit
              underline="always"
              to={paths.questionnaire(form.projectId, section.id, question.id)}
            >
              {question.label}
            </Anchor>{" "}
            <Text span inherit c="dimmed">
              {section.title}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function SectionAnswers({ form, section }: { form: AnswersForm; section: Section }) {
  const { answers } = form.state.draft;
  const isOpen = ({ id }: Question) => isEmpty(answers[keyOf(section.id, id)]);
  const open = section.questions.filter(isOpen);
  const answered = section.questions.filter((question) => !isOpen(question));
  return (
    <SectionCard
      title={section.title}
      action={
        <OwnerOnly>
          <ActionIcon
            component={Link}
            to={paths.questionnaire(form.projectId, section.id)}
            variant="subtle"
            color="gray"
            size="lg"
            title="Change"
            aria-label={`Change: ${section.title}`}
          >
            <IconPencil size={18} aria-hidden />
          </ActionIcon>
        </OwnerOnly>
      }
    >
      {answered.length > 0 && (
        <dl className={classes.answers}>
          {answered.map(({ id, label }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd>
                <AnswerText answer={answers[keyOf(section.id, id)]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {open.length > 0 && (
        <Text fz="sm" c="dimmed" className={classes.open}>
          Left open:{" "}
          {open.map(({ id, label }) => (
            <Anchor
              key={id}
              component={Link}
              inherit
              to={paths.questionnaire(form.projectId, section.id, id)}
            >
              {label}
            </Anchor>
          ))}
        </Text>
      )}
    </SectionCard>
  );
}
