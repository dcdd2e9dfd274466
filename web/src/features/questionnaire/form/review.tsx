import { ActionIcon, Alert, Anchor, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconCircleCheck, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { SectionCard } from "@/components/section-card";
import type { Question, Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { AnswerText } from "../answers/answer-text";
import { isEmpty, keyOf, progressOf } from "../answers/draft";
import type { AnswersForm } from "../answers/use-answers";
import { AnswersFile } from "../transfer/answers-file-buttons";
import { useStepFocus } from "./use-step-focus";

interface ReviewProps {
  form: AnswersForm;
  projectName: string;
  /** The next step; receives whether all required questions are answered and saved. */
  next: (ready: boolean) => ReactNode;
}

/** All answers on one page, what is missing, and the next step. */
export function Review({ form, projectName, next }: ReviewProps) {
  const { saved, draft, status } = form.state;
  const { sections } = saved;
  const { missing } = progressOf(sections, draft.answers);
  const heading = useStepFocus();
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2} fz="xl" ref={heading} tabIndex={-1} style={{ outline: "none" }}>
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
          title="Next step"
          description="Nine contracts, which builds implement, are generated from these answers."
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
        title="All required questions are answered"
      >
        {answered === questions
          ? "All questions are answered."
          : `${plural(questions - answered, "question")} without an answer will be decided for you.`}
      </Alert>
    );
  return (
    <Alert role="note" color="yellow" title={`${plural(missing.length, "answer")} required`}>
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
        <Stack component="dl" gap={18}>
          {answered.map(({ id, label }) => (
            <div key={id}>
              <Text component="dt" mb={4} fz="sm" fw={600}>
                {label}
              </Text>
              <dd>
                <AnswerText answer={answers[keyOf(section.id, id)]} />
              </dd>
            </div>
          ))}
        </Stack>
      )}
      {open.length > 0 && (
        <Group gap="0.125rem 0.75rem" mt={answered.length > 0 ? "md" : 0} fz="sm" c="dimmed">
          Not answered:{" "}
          {open.map(({ id, label }) => (
            <Anchor
              key={id}
              component={Link}
              inherit
              py={3}
              to={paths.questionnaire(form.projectId, section.id, id)}
            >
              {label}
            </Anchor>
          ))}
        </Group>
      )}
    </SectionCard>
  );
}
