import { Alert, Box, Button, Card, Group, Loader, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconPlayerStop } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { TimeAgo } from "@/components/time-ago";
import { isRunning } from "@/domain/generation";
import type { Build, BuildQuestion } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useQuestionCommand } from "./api";
import { activityLabel, usageLabel } from "./question-labels";
import { ReferenceList } from "./reference-list";

const Markdown = lazy(() => import("@/components/markdown"));

interface BuildQuestionCardProps {
  build: Build;
  question: BuildQuestion;
}

/** A question with its answer, or what is known about it. */
export function BuildQuestionCard({ build, question }: BuildQuestionCardProps) {
  const { generation } = question;
  const usage = usageLabel(generation);
  return (
    <Card component="article" aria-label={question.question} withBorder p="md">
      <Title order={3} fz="sm" fw={600} className="pre-wrap" dir="auto">
        {question.question}
      </Title>
      <Text fz="xs" c="dimmed" mt={2}>
        {generation.started_by} · <TimeAgo at={generation.created_at} />
      </Text>
      <Box mt="xs" miw={0} style={{ overflowWrap: "anywhere" }}>
        {isRunning(generation) && <Answering question={question} />}
        {(generation.status === "failed" || generation.status === "cancelled") && (
          <NoAnswer question={question} />
        )}
        {question.answer !== null && (
          <Suspense fallback={<Loader size="sm" aria-label="Loading answer" />}>
            <Markdown text={question.answer} />
            <ReferenceList build={build} references={question.references} />
          </Suspense>
        )}
      </Box>
      {usage && (
        <Text fz="xs" c="dimmed" mt="xs" className="tabular">
          {usage}
        </Text>
      )}
    </Card>
  );
}

function Answering({ question }: { question: BuildQuestion }) {
  const command = useQuestionCommand(question);
  return (
    <Group gap={10} c="var(--tone-accent-text)">
      <Loader size={14} type="dots" color="currentColor" aria-hidden />
      <Text fz="sm" c="dimmed" role="status" flex={1} miw={0}>
        {activityLabel(question.generation)}
      </Text>
      <OwnerOnly>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          loading={command.isPending}
          onClick={() =>
            command.mutate("cancel", {
              onError: (error) => notifyFailed("Could not stop the answer", error),
            })
          }
        >
          Stop answer
        </Button>
      </OwnerOnly>
    </Group>
  );
}

function NoAnswer({ question }: { question: BuildQuestion }) {
  const command = useQuestionCommand(question);
  const { status, failure } = question.generation;
  const failed = status === "failed";
  return (
    <Alert
      color={failed ? "red" : "gray"}
      icon={failed ? <IconAlertCircle aria-hidden /> : <IconPlayerStop aria-hidden />}
      title={failed ? "Not answered" : "Stopped"}
    >
      {failed && <Text fz="sm">{failure}</Text>}
      <OwnerOnly>
        <Button
          mt="xs"
          size="xs"
          variant="default"
          loading={command.isPending}
          onClick={() =>
            command.mutate("resume", {
              onError: (error) => notifyFailed("Could not ask again", error),
            })
          }
        >
          Try again
        </Button>
      </OwnerOnly>
    </Alert>
  );
}
