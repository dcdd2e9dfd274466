import { Box, Button, Group, Text } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import type { Build, Clarification } from "@/lib/api";
import { plural } from "@/lib/format";
import { type AnswerDraft, answerOf, EMPTY_DRAFT, type Resolution } from "./answer-draft";
import { AnswerForm } from "./answer-form";
import { QuestionCard } from "./question-card";

interface QuestionStackProps {
  build: Build;
  questions: Clarification[];
  busy: boolean;
  /** Returns whether it was accepted. */
  onSettle: (id: string, resolution: Resolution) => Promise<boolean>;
}

/** Open questions of one reply, which are answered in any order or together. */
export function QuestionStack({ build, questions, busy, onSettle }: QuestionStackProps) {
  const [drafts, setDrafts] = useSessionStorage<Record<string, AnswerDraft>>({
    key: `forgeguard-answer-drafts:${build.id}`,
    defaultValue: {},
  });
  const stack = useRef<HTMLDivElement>(null);
  const count = questions.length;
  const before = useRef(count);
  useEffect(() => {
    // The focus was in the card that is gone.
    if (count < before.current && document.activeElement === document.body)
      stack.current?.querySelector<HTMLElement>("input, button")?.focus();
    before.current = count;
  }, [count]);

  const draftOf = ({ id }: Clarification) => drafts[id] ?? EMPTY_DRAFT;
  const answers = questions.flatMap((question) => {
    const answer = answerOf(question, draftOf(question));
    return answer ? [{ id: question.id, answer }] : [];
  });

  async function answerAll() {
    for (const { id, answer } of answers) await onSettle(id, answer);
  }

  return (
    <Box ref={stack} mah="60vh" px="sm" style={{ overflowY: "auto" }}>
      {count > 1 && (
        <Group justify="space-between" gap="xs" mt="sm">
          <Text fz="sm" fw={600}>
            {plural(count, "question")}, in any order
          </Text>
          <Button
            size="xs"
            disabled={answers.length < count}
            loading={busy}
            onClick={() => void answerAll()}
          >
            Answer all
          </Button>
        </Group>
      )}
      {questions.map((question) => (
        <QuestionCard
          key={question.id}
          question={question}
          busy={busy}
          onAnswer={(answer) => void onSettle(question.id, { answer })}
          onSkip={() => void onSettle(question.id, { skip: true })}
        >
          <AnswerForm
            question={question}
            draft={draftOf(question)}
            busy={busy}
            onChange={(draft) => setDrafts((known) => ({ ...known, [question.id]: draft }))}
            onAnswer={(answer) => void onSettle(question.id, answer)}
          />
        </QuestionCard>
      ))}
    </Box>
  );
}
