import {
  Progress as Bar,
  Button,
  Stack,
  Text,
  Title,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowRight, IconChevronDown, IconPencil } from "@tabler/icons-react";
import { Link } from "react-router";
import type { Section } from "@/lib/api";
import { paths } from "@/lib/paths";
import { AnswerText } from "../answers/answer-text";
import { type Answers, isEmpty, keyOf, progressOf } from "../answers/draft";
import { SaveStatus } from "../answers/save-status";
import type { AnswersForm } from "../answers/use-answers";
import fold from "../fold.module.css";
import classes from "./answers-summary.module.css";
import { useChangedAnswers, useScrollToChanged } from "./use-changed-answers";

interface AnswersSummaryProps {
  form: AnswersForm;
  /** The current or last reply. */
  run: string | null;
}

/** Shows the answers beside the conversation, each linked to its question. */
export function AnswersSummary({ form, run }: AnswersSummaryProps) {
  const [opened, { toggle }] = useDisclosure(false);
  const { projectId, state } = form;
  const { sections } = state.saved;
  const { answers } = state.draft;
  const changed = useChangedAnswers(answers, run);
  const list = useScrollToChanged(changed);
  const { answered, questions, missing } = progressOf(sections, answers);
  const words = `${answered} of ${questions} answered`;
  return (
    <aside className={fold.aside} aria-labelledby="understood-title">
      <UnstyledButton
        className={fold.fold}
        onClick={toggle}
        aria-expanded={opened}
        aria-controls="understood"
      >
        <Text span fz="sm" fw={600}>
          Answers so far
        </Text>
        <IconChevronDown size={16} aria-hidden className={fold.chevron} />
      </UnstyledButton>
      <Title order={2} id="understood-title" visibleFrom="md">
        Answers so far
      </Title>
      <div>
        <Bar.Root size="sm" transitionDuration={300}>
          <Bar.Section
            value={questions === 0 ? 0 : (100 * answered) / questions}
            withAria={false}
            role="progressbar"
            aria-label="Questions answered"
            aria-valuemin={0}
            aria-valuemax={questions}
            aria-valuenow={answered}
            aria-valuetext={`${answered} of ${questions}`}
          />
        </Bar.Root>
        <Text fz="xs" c="dimmed" mt={6} className="tabular">
          {words}
          {missing.length > 0 && `, ${missing.length} required`}
        </Text>
      </div>
      <div
        id="understood"
        ref={list}
        className={`${fold.folded} ${classes.sections}`}
        data-opened={opened}
      >
        {sections.map((section) => (
          <SectionAnswers
            key={section.id}
            projectId={projectId}
            section={section}
            answers={answers}
            fresh={changed}
          />
        ))}
        <SaveStatus form={form} />
      </div>
      {missing.length === 0 && (
        <Button
          component={Link}
          to={paths.questionnaire(projectId, "review")}
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          Review answers
        </Button>
      )}
    </aside>
  );
}

interface SectionAnswersProps {
  projectId: string;
  section: Section;
  answers: Answers;
  fresh: ReadonlySet<string>;
}

/** The answers of a section, and its open required questions. */
function SectionAnswers({ projectId, section, answers, fresh }: SectionAnswersProps) {
  const shown = section.questions.filter(
    ({ id, required }) => required || !isEmpty(answers[keyOf(section.id, id)]),
  );
  return (
    <section aria-label={section.title}>
      <Text fz="xs" fw={600} c="dimmed">
        {section.title}
      </Text>
      {shown.length === 0 && (
        <Text fz="sm" c="dimmed" py={2} px={0}>
          Not answered
        </Text>
      )}
      <Stack component="ul" gap={1} mt={2} mx={-10} className="plain-list">
        {shown.map(({ id, label }) => {
          const key = keyOf(section.id, id);
          const open = isEmpty(answers[key]);
          return (
            <li key={id}>
              <Link
                to={paths.questionnaire(projectId, section.id, id)}
                className={classes.answer}
                data-fresh={fresh.has(key) || undefined}
              >
                <Text span fz="sm" fw={open ? 400 : 550} c={open ? "dimmed" : undefined}>
                  <VisuallyHidden component="span">{open ? "Answer: " : "Change: "}</VisuallyHidden>
                  {label}
                  {fresh.has(key) && <VisuallyHidden component="span"> (new)</VisuallyHidden>}
                </Text>
                {open ? (
                  <Text span fz="xs" c="dimmed">
                    required
                  </Text>
                ) : (
                  <IconPencil size={14} color="var(--mantine-color-dimmed)" aria-hidden />
                )}
                {!open && (
                  <span className={classes.said}>
                    <AnswerText answer={answers[key]} lines={3} />
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </Stack>
    </section>
  );
}
