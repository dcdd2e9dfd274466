import { Stack, Text } from "@mantine/core";
import { IconMessageQuestion } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { ScrollPanel } from "@/components/scroll-panel";
import type { Build } from "@/lib/api";
import { type BuildQuestions, useBuildQuestions } from "./api";
import { BuildQuestionCard } from "./build-question-card";

export default function AskPanel({ build }: { build: Build }) {
  const query = useBuildQuestions(build.id);
  return (
    <QueryView query={query} what="questions">
      {(questions) => <AskView build={build} questions={questions} />}
    </QueryView>
  );
}

export function AskView({ build, questions }: { build: Build; questions: BuildQuestions }) {
  const { items, unavailableReason } = questions;
  if (items.length === 0) {
    return (
      <EmptyState
        icon={<IconMessageQuestion size={22} />}
        title="No questions about this build yet"
        order={3}
      >
        {unavailableReason ??
          "Ask below why something was done, what changed, or what is proven. Answers come from the journal, the changes and the contracts, with links. They do not affect the build."}
      </EmptyState>
    );
  }
  return (
    <ScrollPanel label="Questions about this build">
      <Stack gap="md" maw="52rem" mx="auto">
        {unavailableReason && (
          <Text fz="sm" c="dimmed">
            {unavailableReason}
          </Text>
        )}
        {items.map((question) => (
          <BuildQuestionCard key={question.generation.id} build={build} question={question} />
        ))}
      </Stack>
    </ScrollPanel>
  );
}
