import { Box } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { useActions } from "@/domain/actions";
import { isFinal } from "@/domain/build-status";
import type { Build, Clarification } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { type BuildCommand, useBuildCommand } from "../api";
import { type Resolution, useHint, useResolveQuestion } from "../clarifications/api";
import { isOfAgent } from "../clarifications/asked-by";
import { LateHint } from "../clarifications/late-hint";
import { QuestionCard } from "../clarifications/question-card";
import { ResolvedQuestionCard } from "../clarifications/resolved-question-card";
import { useResolvedQuestion } from "../clarifications/use-resolved-question";
import { OpenItemList } from "../open-items/open-item-list";
import { CommandHelp } from "./command-help";
import { CommandLine } from "./command-line";
import type { ParsedLine } from "./parse-command";

interface ComposerProps {
  build: Build;
  inputRef: RefObject<HTMLInputElement | null>;
  notificationOffer: ReactNode;
}

/** The open question, and the command line below it. */
export function Composer({ build, inputRef, notificationOffer }: ComposerProps) {
  const command = useBuildCommand(build.id);
  const resolve = useResolveQuestion(build.id);
  const [helpOpen, help] = useDisclosure(false);
  const hint = useHint(build.id);
  const question = build.open_question ?? null;
  const questionId = question?.id;
  const resolved = useResolvedQuestion(build);
  /** The answer that was chosen after the question expired. */
  const [tried, setTried] = useState<string | null>(null);

  useActions([!isFinal(build.status) && { name: "speak", run: () => inputRef.current?.focus() }]);
  useEffect(() => {
    // A new question takes the focus unless the user is typing.
    const writing = document.activeElement?.matches("input, textarea, [contenteditable]");
    if (questionId && !writing) inputRef.current?.focus();
  }, [questionId, inputRef]);

  const expired = resolved.question?.status === "timed_out" ? resolved.question : null;
  const late = expired && isOfAgent(expired) ? expired : null;

  async function settle(id: string, resolution: Resolution): Promise<boolean> {
    try {
      resolved.here(id);
      await resolve.mutateAsync({ id, resolution });
      inputRef.current?.focus();
      return true;
    } catch (error) {
      resolved.here(null);
      notifyFailed(
        isStatus(error, 409) ? "The question is already resolved" : "Could not send the answer",
        error,
      );
      return false;
    }
  }

  async function choose(id: string, answer: string) {
    setTried((await settle(id, { answer })) ? null : answer);
  }

  async function sendHint(late: Clarification, answer: string): Promise<boolean> {
    try {
      await hint.mutateAsync({ question: late.question, answer });
      notifyDone("Sent as a hint. Agents read it before their next turn.");
      resolved.close();
      return true;
    } catch (error) {
      notifyFailed("Could not send the hint", error);
      return false;
    }
  }

  async function give(order: BuildCommand): Promise<boolean> {
    try {
      await command.mutateAsync(order);
      return true;
    } catch (error) {
      notifyFailed("The command failed", error);
      return false;
    }
  }

  async function submit(
    line: Exclude<ParsedLine, { kind: "empty" }>,
    answers: string | null,
  ): Promise<boolean> {
    if (line.kind === "text") {
      if (answers) return settle(answers, { answer: line.text });
      return late ? sendHint(late, line.text) : give({ name: "interject", text: line.text });
    }
    if (line.kind === "unknown") {
      help.open();
      return false;
    }
    switch (line.name) {
      case "help":
        help.open();
        return true;
      case "interject":
        return line.rest ? give({ name: "interject", text: line.rest }) : false;
      case "cancel":
        return give({ name: "cancel", reason: line.rest || undefined });
      default:
        return give({ name: line.name });
    }
  }

  return (
    <Box flex="none" style={{ borderTop: "1px solid var(--line)" }}>
      {question && (
        <QuestionCard
          question={question}
          busy={resolve.isPending}
          onAnswer={(answer) => void choose(question.id, answer)}
          onSkip={() => void settle(question.id, { skip: true })}
        >
          {question.kind === "confirmation" && <OpenItemList buildId={build.id} />}
        </QuestionCard>
      )}
      {resolved.question && (
        <ResolvedQuestionCard
          build={build.id}
          question={resolved.question}
          stays={late !== null || tried !== null}
          onClose={resolved.close}
        >
          {late && <LateHint tried={tried} onSend={(answer) => void sendHint(late, answer)} />}
        </ResolvedQuestionCard>
      )}
      {question && notificationOffer}
      <CommandLine
        inputRef={inputRef}
        question={question && question.kind !== "confirmation" ? question.id : null}
        disabled={isFinal(build.status)}
        busy={resolve.isPending || command.isPending || hint.isPending}
        onSubmit={submit}
      />
      <CommandHelp opened={helpOpen} onClose={help.close} />
    </Box>
  );
}
