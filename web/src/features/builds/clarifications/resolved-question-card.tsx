import { Box, CloseButton, Flex, Group, Text } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { IconCircleCheck, IconClockX } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import type { Clarification } from "@/lib/api";
import { toneFrame, toneText } from "@/lib/tone";
import { Decision } from "./decision";
import { quotedAnswer } from "./quoted-answer";
import { resolutionLabel } from "./resolution-label";

/** Time to read the result. */
const GOES_AFTER_MS = 12_000;

interface SettledCardProps {
  build: string;
  question: Clarification;
  /** Whether the user resolved it on this page. */
  you?: boolean;
  /** Whether the card stays until it is closed. */
  stays: boolean;
  onClose: () => void;
  /** Further actions. */
  children?: ReactNode;
}

/** A question that was just resolved, with its answer and who gave it. */
export function ResolvedQuestionCard(props: SettledCardProps) {
  const { build, question, you = false, stays, onClose, children } = props;
  const id = useId();
  const late = question.status === "timed_out";
  const Icon = late ? IconClockX : IconCircleCheck;
  return (
    <Flex
      component="section"
      {...(late ? toneFrame("waiting") : { bd: "1px solid var(--line)", bdrs: "md" })}
      gap={10}
      mt="sm"
      p="sm"
      aria-labelledby={id}
    >
      {!stays && <GoesAway onGo={onClose} />}
      <Icon size={20} color={toneText(late ? "waiting" : "good")} aria-hidden />
      <Box flex={1} miw={0}>
        <Group justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
          <Text id={id} fw={620} flex="1 1 12rem">
            {question.question}
          </Text>
          <CloseButton size="sm" aria-label="Dismiss question" onClick={onClose} />
        </Group>
        <Text fz="sm" role="status">
          {resolutionLabel(question, you)}
          {question.answer ? `: ${quotedAnswer(question)}` : "."}
        </Text>
        <Decision build={build} question={question} />
        {children}
      </Box>
    </Flex>
  );
}

function GoesAway({ onGo }: { onGo: () => void }) {
  useTimeout(onGo, GOES_AFTER_MS, { autoInvoke: true });
  return null;
}
