import { Box, Stack, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconChevronDown,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleHalf2,
  IconListCheck,
} from "@tabler/icons-react";
import { Link } from "react-router";
import { Segments } from "@/components/segments";
import type { Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { toneText } from "@/lib/tone";
import { type Answers, progressOf } from "../answers/draft";
import { SaveStatus } from "../answers/save-status";
import type { AnswersForm } from "../answers/use-answers";
import fold from "../fold.module.css";
import classes from "./step-list.module.css";

interface StepListProps {
  form: AnswersForm;
  step: string;
}

/** The steps with their progress; collapsed on narrow screens. */
export function StepList({ form, step }: StepListProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { projectId, state } = form;
  const { sections } = state.saved;
  const { answers } = state.draft;
  const { answered, questions, missing } = progressOf(sections, answers);
  const at = sections.findIndex(({ id }) => id === step);
  const parts = sections.map((section) => ({
    key: section.id,
    state: isDone(section, answers)
      ? ("done" as const)
      : section.id === step
        ? ("current" as const)
        : ("ahead" as const),
  }));
  return (
    <aside className={`${fold.aside} ${classes.progressAside}`} aria-label="Progress">
      <UnstyledButton
        className={fold.fold}
        onClick={toggle}
        aria-expanded={opened}
        aria-controls="questionnaire-steps"
      >
        <Text span fz="sm" fw={600} truncate>
          {at < 0 ? "Review" : `${at + 1} of ${sections.length}: ${sections[at]?.title}`}
        </Text>
        <IconChevronDown size={16} aria-hidden className={fold.chevron} />
      </UnstyledButton>
      <div className={classes.progress}>
        <Segments
          label={`${answered} of ${plural(questions, "question")} answered`}
          parts={parts}
        />
        <Text fz="xs" c="dimmed" className={classes.counts}>
          {answered} of {questions} answered
        </Text>
      </div>
      <nav
        id="questionnaire-steps"
        aria-label="Steps"
        className={`${fold.folded} ${classes.steps}`}
        data-opened={opened}
      >
        <Stack component="ol" gap={1} className="plain-list">
          {sections.map((section) => (
            <li key={section.id}>
              <Link
                to={paths.questionnaire(projectId, section.id)}
                className={classes.step}
                aria-current={section.id === step ? "step" : undefined}
                onClick={close}
              >
                <StepIcon section={section} answers={answers} />
                <Box component="span" flex={1} miw={0}>
                  {section.title}
                </Box>
                <StepCount section={section} answers={answers} />
              </Link>
            </li>
          ))}
          <li>
            <Link
              to={paths.questionnaire(projectId, "review")}
              className={classes.step}
              aria-current={step === "review" ? "step" : undefined}
              onClick={close}
            >
              <IconListCheck size={18} aria-hidden className={classes.icon} />
              <Box component="span" flex={1} miw={0}>
                Review
              </Box>
              {missing.length > 0 && (
                <span className={classes.count}>{missing.length} to answer</span>
              )}
            </Link>
          </li>
        </Stack>
      </nav>
      <SaveStatus form={form} />
    </aside>
  );
}

interface StepMarkProps {
  section: Section;
  answers: Answers;
}

function StepIcon({ section, answers }: StepMarkProps) {
  const { answered } = progressOf([section], answers);
  if (isDone(section, answers))
    return (
      <IconCircleCheckFilled
        size={18}
        aria-hidden
        color={toneText("good")}
        className={classes.icon}
      />
    );
  const Icon = answered > 0 ? IconCircleHalf2 : IconCircleDashed;
  return <Icon size={18} aria-hidden className={classes.icon} />;
}

function StepCount({ section, answers }: StepMarkProps) {
  const { answered, questions, missing } = progressOf([section], answers);
  return (
    <span className={classes.count}>
      <span aria-hidden>
        {answered}/{questions}
      </span>
      <VisuallyHidden component="span">
        , {answered} of {questions} answered
        {missing.length > 0 && `, ${missing.length} required`}
      </VisuallyHidden>
    </span>
  );
}

/** At least one answer, and all required ones. */
function isDone(section: Section, answers: Answers): boolean {
  const { answered, missing } = progressOf([section], answers);
  return answered > 0 && missing.length === 0;
}
