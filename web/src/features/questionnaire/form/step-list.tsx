import { Box, Stack, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconChevronDown,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleHalf2,
  IconListCheck,
} from "@tabler/icons-react";
import { Segments } from "@/components/segments";
import { SideLink } from "@/components/side-link";
import type { Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { toneText } from "@/lib/tone";
import { type Answers, progressOf } from "../answers/draft";
import { SaveStatus } from "../answers/save-status";
import type { AnswersForm } from "../answers/use-answers";
import fold from "../fold.module.css";

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
    <aside className={fold.aside} aria-label="Progress">
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
      <Stack gap={6} px={{ md: 10 }}>
        <Segments
          label={`${answered} of ${plural(questions, "question")} answered`}
          parts={parts}
        />
        <Text fz="xs" c="dimmed" className="tabular" visibleFrom="md">
          {answered} of {questions} answered
        </Text>
      </Stack>
      <nav id="questionnaire-steps" aria-label="Steps" className={fold.folded} data-opened={opened}>
        <Stack component="ol" gap={1} className="plain-list">
          {sections.map((section) => (
            <li key={section.id}>
              <SideLink
                to={paths.questionnaire(projectId, section.id)}
                current={section.id === step ? "step" : undefined}
                mark={<StepIcon section={section} answers={answers} />}
                label={section.title}
                note={<StepCount section={section} answers={answers} />}
                onClick={close}
              />
            </li>
          ))}
          <li>
            <SideLink
              to={paths.questionnaire(projectId, "review")}
              current={step === "review" ? "step" : undefined}
              mark={<IconListCheck size={18} aria-hidden />}
              label="Review"
              note={
                missing.length > 0 && (
                  <Text span fz="xs" fw={400}>
                    {missing.length} to answer
                  </Text>
                )
              }
              onClick={close}
            />
          </li>
        </Stack>
      </nav>
      <Box px={{ md: 10 }}>
        <SaveStatus form={form} />
      </Box>
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
    return <IconCircleCheckFilled size={18} aria-hidden color={toneText("good")} />;
  const Icon = answered > 0 ? IconCircleHalf2 : IconCircleDashed;
  return <Icon size={18} aria-hidden />;
}

function StepCount({ section, answers }: StepMarkProps) {
  const { answered, questions, missing } = progressOf([section], answers);
  return (
    <Text span fz="xs" fw={400} className="tabular">
      <span aria-hidden>
        {answered}/{questions}
      </span>
      <VisuallyHidden component="span">
        , {answered} of {questions} answered
        {missing.length > 0 && `, ${missing.length} required`}
      </VisuallyHidden>
    </Text>
  );
}

/** At least one answer, and all required ones. */
function isDone(section: Section, answers: Answers): boolean {
  const { answered, missing } = progressOf([section], answers);
  return answered > 0 && missing.length === 0;
}
