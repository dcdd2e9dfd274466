import { Box } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconInfoCircle } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { CommandLineBlock } from "@/components/command-line-block";
import { useActions } from "@/domain/actions";
import { isFinal } from "@/domain/build-status";
import { cloneCommand } from "@/domain/clone-command";
import type { Build, Clarification } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { type BuildCommand, useBuildCommand } from "../api";
import { useAskQuestion, useBuildQuestions } from "../build-questions/api";
import { answerText, type Resolution } from "../clarifications/answer-draft";
import { useHint, useResolveQuestion } from "../clarifications/api";
import { isOfAgent } from "../clarifications/asked-by";
import { LateHint } from "../clarifications/late-hint";
import { QuestionCard } from "../clarifications/question-card";
import { QuestionStack } from "../clarifications/question-stack";
import { ResolvedQuestionCard } from "../clarifications/resolved-question-card";
import { useResolvedQuestion } from "../clarifications/use-resolved-question";
import { OpenItemList } from "../open-items/open-item-list";
import { CommandHelp } from "./command-help";
import { CommandLine } from "./command-line";
import { FooterText } from "./footer-text";
import { ModeSwitch } from "./mode-switch";
import type { ParsedLine } from "./parse-command";
import { QuestionLine } from "./question-line";
import { useComposerDraft } from "./use-composer-draft";

interface ComposerProps {
  build: Build;
  inputRef: RefObject<HTMLInputElement | null>;
  notificationOffer: ReactNode;
}

/** The open questions, and the line for messages, commands and questions about the build below them. */
export function Composer({ build, inputRef, notificationOffer }: ComposerProps) {
  const command = useBuildCommand(build.id);
  const resolve = useResolveQuestion(build.id);
  const [helpOpen, help] = useDisclosure(false);
  const hint = useHint(build.id);
  const questions = build.open_clarifications;
  const together = useTogether(questions);
  const question = (!together && questions[0]) || null;
  const questionId = question?.id;
  const resolved = useResolvedQuestion(build);
  const draft = useComposerDraft(build.id);
  const asked = useBuildQuestions(build.id);
  const ask = useAskQuestion(build.id);
  const navigate = useNavigate();
  const isFinished = isFinal(build.status);
  // While this is not known, a question can be asked: if it is refused, its text is kept.
  const unavailableReason = asked.data?.unavailableReason ?? null;
  const canAsk = unavailableReason === null;
  // A stored choice may have become impossible.
  const mode = isFinished ? "question" : canAsk ? draft.mode : "message";
  // Text that was written before stays visible.
  const isClosed = isFinished && unavailableReason !== null && draft.text === "";
  /** The answer that was chosen after the question expired. */
  const [tried, setTried] = useState<string | null>(null);

  useActions([(!isFinished || canAsk) && { name: "speak", run: () => inputRef.current?.focus() }]);
  useEffect(() => {
    // A new question takes the focus unless the user is typing.
    const writing = document.activeElement?.matches("input, textarea, [contenteditable]");
    if (questionId && !writing && mode === "message") inputRef.current?.focus();
  }, [questionId, inputRef, mode]);

  const expired = resolved.question?.status === "timed_out" ? resolved.question : null;
  const late = expired && isOfAgent(expired) ? expired : null;

  async function settle(id: string, resolution: Resolution): Promise<boolean> {
    try {
      resolved.markHere(id, true);
      await resolve.mutateAsync({ id, resolution });
      if (questions.length === 1) inputRef.current?.focus();
      setTried(null);
      return true;
    } catch (error) {
      resolved.markHere(id, false);
      setTried(answerText(resolution));
      notifyFailed(
        isStatus(error, 409) ? "The question is already resolved" : "Could not send the answer",
        error,
      );
      return false;
    }
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

  async function askAbout(text: string) {
    try {
      await ask.mutateAsync(text);
      draft.setText("");
      navigate(paths.build(build.project_id, build.number, "ask"), {
        replace: true,
        preventScrollReset: true,
      });
    } catch (error) {
      notifyFailed("Could not ask the question", error);
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

  if (isClosed && !resolved.question) {
    return (
      <FooterText icon={<IconInfoCircle size={16} aria-hidden />}>
        This build has ended. {unavailableReason}
      </FooterText>
    );
  }
  return (
    <Box flex="none" style={{ borderTop: "1px solid var(--line)" }}>
      {together && (
        <QuestionStack
          build={build}
          questions={questions}
          busy={resolve.isPending}
          onSettle={settle}
        />
      )}
      <Box mx="sm">
        {question && (
          <QuestionCard
            question={question}
            busy={resolve.isPending}
            onAnswer={(answer) => void settle(question.id, { answer })}
            onSkip={() => void settle(question.id, { skip: true })}
          >
            {question.kind === "confirmation" && <OpenItemList buildId={build.id} />}
            {question.kind === "work" && (
              <Box my="xs">
                <CommandLineBlock command={cloneCommand(build.project_id, build.branch)} />
              </Box>
            )}
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
      </Box>
      {questions.length > 0 && notificationOffer}
      <ModeSwitch
        mode={mode}
        onMode={draft.setMode}
        isFinished={isFinished}
        unavailableReason={unavailableReason}
      />
      {mode === "question" ? (
        <QuestionLine
          inputRef={inputRef}
          line={draft.text}
          onLine={draft.setText}
          disabled={!canAsk}
          busy={ask.isPending}
          onAsk={(text) => void askAbout(text)}
        />
      ) : (
        <CommandLine
          inputRef={inputRef}
          line={draft.text}
          onLine={draft.setText}
          question={question && question.kind !== "confirmation" ? question.id : null}
          busy={resolve.isPending || command.isPending || hint.isPending}
          onSubmit={submit}
        />
      )}
      <CommandHelp opened={helpOpen} onClose={help.close} />
    </Box>
  );
}

/** Whether questions are shown as a stack: several that were asked together, or a choice of several
 * options. The last of them keeps its form. */
function useTogether(questions: Clarification[]): boolean {
  const [stacked, setStacked] = useState<string[]>([]);
  const news = questions.filter(({ id }) => !stacked.includes(id));
  if (questions.length > 1 && news.length > 0) setStacked(questions.map(({ id }) => id));
  return questions.some(({ id, multiple }) => multiple || stacked.includes(id));
}
