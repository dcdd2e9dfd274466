import { CloseButton, Group, Text } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { IconCircleCheck, IconClockX } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import type { Clarification } from "@/lib/api";
import { toneText } from "@/lib/tone";
import { Decision } from "./decision";
import classes from "./question-card.module.css";
import { settledWords } from "./settled-words";

/** Long enough to read who answered what. */
const GOES_AFTER_MS = 12_000;

interface SettledCardProps {
  build: string;
  question: Clarification;
  /** Whether the reader settled it, here. */
  you?: boolean;
  /** Whether the card waits until it is closed. */
  stays: boolean;
  onClose: () => void;
  /** What can still be done about it. */
  children?: ReactNode;
}

/** A question that has just been settled: how, by whom, and what the answer was. */
export function SettledCard(props: SettledCardProps) {
  const { build, question, you = false, stays, onClose, children } = props;
  const id = useId();
  const late = question.status === "timed_out";
  const Icon = late ? IconClockX : IconCircleCheck;
  return (
    <section className={classes.card} data-settled={!late || undefined} aria-labelledby={id}>
      {!stays && <GoesAway onGo={onClose} />}
      <Icon
        size={20}
        color={toneText(late ? "waiting" : "good")}
        aria-hidden
        className={classes.icon}
      />
      <div className={classes.body}>
        <Group justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
          <Text id={id} fw={620} className={classes.question}>
            {question.question}
          </Text>
          <CloseButton size="sm" aria-label="Close the question" onClick={onClose} />
        </Group>
        <Text fz="sm" role="status">
          {settledWords(question, you)}
          {question.answer ? `: “${question.answer}”` : "."}
        </Text>
        <Decision build={build} question={question} />
        {children}
      </div>
    </section>
  );
}

function GoesAway({ onGo }: { onGo: () => void }) {
  useTimeout(onGo, GOES_AFTER_MS, { autoInvoke: true });
  return null;
}
