import { Button, Group, Skeleton, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { Segments } from "@/components/segments";
import { useCanEdit } from "@/domain/project-access";
import type { Questionnaire } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { draftOf, progressOf } from "./answers/draft";
import { useQuestionnaire } from "./api";
import { useInterview } from "./conversation/interview-api";

interface QuestionnaireCardProps {
  projectId: string;
  /** Whether it is the project's next step. */
  primary: boolean;
}

/** Links to the questionnaire, with its progress. */
export function QuestionnaireCard({ projectId, primary }: QuestionnaireCardProps) {
  const query = useQuestionnaire(projectId);
  return (
    <QueryView query={query} what="questionnaire" loading={<Skeleton height={140} radius="lg" />}>
      {(questionnaire) => (
        <Card projectId={projectId} primary={primary} questionnaire={questionnaire} />
      )}
    </QueryView>
  );
}

interface CardProps extends QuestionnaireCardProps {
  questionnaire: Questionnaire;
}

function Card({ projectId, primary, questionnaire }: CardProps) {
  const { sections, progress, version } = questionnaire;
  const { answers } = draftOf(questionnaire);
  const mayChange = useCanEdit();
  const interview = useInterview(projectId).data;
  const missing = progress.missing.length;
  const parts = sections.map((section) => {
    const { answered, missing } = progressOf([section], answers);
    const done = answered > 0 && missing.length === 0;
    return { key: section.id, state: done ? ("done" as const) : ("ahead" as const) };
  });
  const [about, label] =
    version === 0
      ? [
          `Start by describing your project. ${plural(sections.length, "short step")}, saved as you type.`,
          "Start",
        ]
      : missing > 0
        ? [`${plural(missing, "required question")} not answered.`, "Continue"]
        : ["All required questions are answered.", "Review"];
  // The contracts come from elsewhere, such as a spec.
  if (version === 0 && !primary) return null;
  if (!mayChange) return version > 0 && <ToRead projectId={projectId} />;
  return (
    <SectionCard title="Describe your project" description={about}>
      <Group gap="md">
        <Group gap="sm" style={{ flex: "1 1 12rem" }} wrap="nowrap">
          <Segments
            label={`${progress.answered} of ${plural(progress.questions, "question")} answered`}
            parts={parts}
          />
          <Text fz="xs" c="dimmed" aria-hidden>
            {progress.answered}/{progress.questions}
          </Text>
        </Group>
        {interview?.available && missing > 0 && (
          <Button component={Link} to={paths.conversation(projectId)} variant="default">
            {interview.messages.length > 0 ? "Continue conversation" : "Start conversation"}
          </Button>
        )}
        <Button
          component={Link}
          to={paths.questionnaire(projectId)}
          variant={primary ? "filled" : "default"}
          rightSection={<IconArrowRight size={16} aria-hidden />}
          aria-label={`${label}: describe your project`}
        >
          {label}
        </Button>
      </Group>
    </SectionCard>
  );
}

/** For viewers. */
function ToRead({ projectId }: { projectId: string }) {
  return (
    <SectionCard title="Questionnaire" description="The owner's answers.">
      <Button component={Link} to={paths.questionnaire(projectId, "review")} variant="default">
        Show answers
      </Button>
    </SectionCard>
  );
}
