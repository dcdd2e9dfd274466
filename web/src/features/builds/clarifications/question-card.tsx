import { Box, Button, Flex, Group, Text } from "@mantine/core";
import { IconMessageQuestion, IconSparkles } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import type { Clarification } from "@/lib/api";
import { toneFrame, toneText } from "@/lib/tone";
import { isOfAgent } from "./asked-by";
import { Countdown } from "./countdown";
import classes from "./question-card.module.css";

interface QuestionCardProps {
  question: Clarification;
  busy: boolean;
  onAnswer: (answer: string) => void;
  onSkip: () => void;
  /** A form for the answer; for a single question on the build screen, the command line is used
   * instead. For a question before the seal, what is open; for work, how to get the branch. */
  children?: ReactNode;
}

export function QuestionCard({ question, busy, onAnswer, onSkip, children }: QuestionCardProps) {
  const id = useId();
  const { kind, multiple } = question;
  const isUpToUser = kind === "confirmation" || kind === "plan" || kind === "work";
  const childrenFirst = kind === "confirmation" || kind === "work" || multiple;
  return (
    <Flex
      component="section"
      {...toneFrame("waiting")}
      gap={10}
      mt="sm"
      p="sm"
      aria-labelledby={id}
    >
      <IconMessageQuestion size={20} color={toneText("waiting")} aria-hidden />
      <Box flex={1} miw={0}>
        <Group justify="space-between" gap="xs" align="flex-start">
          <Text id={id} fw={620} c={toneText("waiting")} flex="1 1 12rem">
            {question.question}
          </Text>
          {question.expires_at && (
            <Countdown
              until={question.expires_at}
              next={isOfAgent(question) ? "Agent decides" : "Continues"}
            />
          )}
        </Group>
        {question.context && (
          <Text fz="sm" c="var(--mantine-color-text)">
            {question.context}
          </Text>
        )}
        {childrenFirst && children}
        <Group gap="xs" mt="xs" role="group" aria-label="Answers">
          {(multiple ? [] : question.options).map((option) => (
            <Button
              key={option}
              size="xs"
              radius="xl"
              variant="default"
              className={classes.option}
              disabled={busy}
              onClick={() => onAnswer(option)}
            >
              {option}
            </Button>
          ))}
          {!isUpToUser && (
            <Button
              size="xs"
              radius="xl"
              variant="subtle"
              color="gray"
              className={classes.option}
              disabled={busy}
              leftSection={isOfAgent(question) && <IconSparkles size={14} aria-hidden />}
              onClick={onSkip}
            >
              {isOfAgent(question) ? "Let AI decide" : "Leave open"}
            </Button>
          )}
        </Group>
        {!childrenFirst && children}
      </Box>
    </Flex>
  );
}
