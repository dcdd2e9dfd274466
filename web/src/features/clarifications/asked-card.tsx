import { Anchor, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import type { Clarification, PlacedClarification } from "@/lib/api";
import { isFinal } from "@/lib/build-status";
import { formatDate } from "@/lib/format";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { isStatus } from "@/lib/problem";
import { keys } from "@/lib/query-keys";
import { AnswerField } from "./answer-field";
import { fetchQuestion, type Resolution, useHint, useResolveQuestion } from "./api";
import { QuestionCard } from "./question-card";
import classes from "./questions.module.css";
import { SettledCard } from "./settled-card";
import { watchQuestion } from "./watch-question";

interface AskedCardProps {
  asked: PlacedClarification;
  /** Whether the server still lists it among those that wait. */
  listed: boolean;
  onGone: () => void;
}

/** A question with its project and build, answered right here. */
export function AskedCard({ asked, listed, onGone }: AskedCardProps) {
  const { build_id: build, clarification: question } = asked;
  const resolve = useResolveQuestion(build);
  const hint = useHint(build);
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [settled, setSettled] = useState<Clarification | null>(null);
  const [mine, setMine] = useState(false);
  /** What was chosen when it was too late. */
  const [tried, setTried] = useState<string | null>(null);

  useEffect(
    () =>
      watchQuestion(build, question, (now) => {
        setSettled(now);
        client.invalidateQueries({ queryKey: keys.openQuestions });
        client.invalidateQueries({ queryKey: keys.projects });
      }),
    [build, question, client],
  );
  useEffect(() => {
    if (listed || settled) return;
    let left = false;
    fetchQuestion(build, question.id)
      .then((now) => !left && now && now.status !== "open" && setSettled(now))
      .catch(() => {});
    return () => {
      left = true;
    };
  }, [listed, settled, build, question.id]);

  async function settle(resolution: Resolution) {
    try {
      setMine(true);
      setSettled(await resolve.mutateAsync({ id: question.id, resolution }));
    } catch (error) {
      setMine(false);
      if ("answer" in resolution) setTried(resolution.answer);
      notifyFailed(
        isStatus(error, 409) ? "Your answer was not taken" : "The answer was not sent",
        error,
      );
      if (!isStatus(error, 409)) return;
      const now = await fetchQuestion(build, question.id).catch(() => null);
      if (now) setSettled(now);
    }
  }

  async function sendHint(answer: string) {
    try {
      await hint.mutateAsync({ question: question.question, answer });
      notifyDone("Sent as a hint. The agents read it before their next turn.");
      onGone();
    } catch (error) {
      notifyFailed("The hint was not sent", error);
    }
  }

  const kept = text || tried || "";
  const late = settled?.status === "timed_out" && !isFinal(asked.build_status);
  return (
    <article className={classes.asked}>
      <Text fz="sm" className={classes.place}>
        <Anchor component={Link} to={paths.project(asked.project_id)} fw={600}>
          {asked.project_name}
        </Anchor>
        <Anchor component={Link} to={paths.build(asked.project_id, build)} c="dimmed">
          Build of {formatDate(asked.build_created_at)}
        </Anchor>
      </Text>
      {settled ? (
        <SettledCard
          build={build}
          question={settled}
          you={mine}
          stays={late || (!mine && kept !== "")}
          onClose={onGone}
        >
          {late ? (
            <AnswerField
              label={`Hint for: ${question.question}`}
              send="Send as a hint"
              text={text || (tried ?? "")}
              busy={hint.isPending}
              onType={(typed) => {
                setTried(null);
                setText(typed);
              }}
              onSend={sendHint}
            />
          ) : (
            !mine && kept !== "" && <Text fz="sm">Yours was not sent: “{kept}”</Text>
          )}
        </SettledCard>
      ) : (
        <QuestionCard
          question={question}
          busy={resolve.isPending}
          onAnswer={(answer) => void settle({ answer })}
          onSkip={() => void settle({ skip: true })}
        >
          <AnswerField
            label={`Answer to: ${question.question}`}
            send="Answer"
            text={text}
            busy={resolve.isPending}
            onType={setText}
            onSend={(answer) => void settle({ answer })}
          />
        </QuestionCard>
      )}
    </article>
  );
}
