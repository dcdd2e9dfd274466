import { useDisclosure } from "@mantine/hooks";
import { type RefObject, useEffect, useState } from "react";
import { type BuildCommand, useBuildCommand } from "@/features/builds/api";
import { type Resolution, useHint, useResolveQuestion } from "@/features/clarifications/api";
import { LateHint } from "@/features/clarifications/late-hint";
import { QuestionCard } from "@/features/clarifications/question-card";
import { SettledCard } from "@/features/clarifications/settled-card";
import { useSettledQuestion } from "@/features/clarifications/use-settled-question";
import { CommandHelp } from "@/features/command-line/command-help";
import { CommandLine } from "@/features/command-line/command-line";
import type { ParsedLine } from "@/features/command-line/parse-command";
import { NotificationOffer } from "@/features/notifications/notification-offer";
import { useActions } from "@/lib/actions";
import type { Build, Clarification } from "@/lib/api";
import { isFinal } from "@/lib/build-status";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { isStatus } from "@/lib/problem";
import classes from "./build-ide.module.css";

interface IdeFootProps {
  build: Build;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Where a person speaks to the build: the open question, and the command line below it. */
export function IdeFoot({ build, inputRef }: IdeFootProps) {
  const command = useBuildCommand(build.id);
  const resolve = useResolveQuestion(build.id);
  const [helpOpen, help] = useDisclosure(false);
  const hint = useHint(build.id);
  const question = build.open_question ?? null;
  const questionId = question?.id;
  const settled = useSettledQuestion(build);
  /** What was chosen when it was too late. */
  const [tried, setTried] = useState<string | null>(null);

  useActions([!isFinal(build.status) && { name: "speak", run: () => inputRef.current?.focus() }]);
  useEffect(() => {
    // A new question takes the focus only from someone who is not writing elsewhere.
    const writing = document.activeElement?.matches("input, textarea, [contenteditable]");
    if (questionId && !writing) inputRef.current?.focus();
  }, [questionId, inputRef]);

  const late = settled.question?.status === "timed_out" ? settled.question : null;

  async function settle(resolution: Resolution): Promise<boolean> {
    if (!question) return false;
    try {
      settled.here(question.id);
      await resolve.mutateAsync({ id: question.id, resolution });
      inputRef.current?.focus();
      return true;
    } catch (error) {
      settled.here(null);
      notifyFailed(
        isStatus(error, 409) ? "Your answer was not taken" : "The answer was not sent",
        error,
      );
      return false;
    }
  }

  async function choose(answer: string) {
    setTried((await settle({ answer })) ? null : answer);
  }

  async function sendHint(late: Clarification, answer: string): Promise<boolean> {
    try {
      await hint.mutateAsync({ question: late.question, answer });
      notifyDone("Sent as a hint. The agents read it before their next turn.");
      settled.close();
      return true;
    } catch (error) {
      notifyFailed("The hint was not sent", error);
      return false;
    }
  }

  async function give(order: BuildCommand): Promise<boolean> {
    try {
      await command.mutateAsync(order);
      return true;
    } catch (error) {
      notifyFailed("That did not work", error);
      return false;
    }
  }

  async function submit(line: Exclude<ParsedLine, { kind: "empty" }>): Promise<boolean> {
    if (line.kind === "text") {
      if (question) return settle({ answer: line.text });
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
    <div className={classes.foot}>
      {question && (
        <QuestionCard
          question={question}
          busy={resolve.isPending}
          onAnswer={(answer) => void choose(answer)}
          onSkip={() => void settle({ skip: true })}
        />
      )}
      {settled.question && (
        <SettledCard
          build={build.id}
          question={settled.question}
          stays={late !== null || tried !== null}
          onClose={settled.close}
        >
          {late && <LateHint tried={tried} onSend={(answer) => void sendHint(late, answer)} />}
        </SettledCard>
      )}
      {question && <NotificationOffer />}
      <CommandLine
        inputRef={inputRef}
        asking={question !== null}
        disabled={isFinal(build.status)}
        busy={resolve.isPending || command.isPending || hint.isPending}
        onSubmit={submit}
      />
      <CommandHelp opened={helpOpen} onClose={help.close} />
    </div>
  );
}
