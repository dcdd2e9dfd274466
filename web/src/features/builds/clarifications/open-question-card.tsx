import { Anchor, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { buildName } from "@/domain/build-name";
import { isFinal } from "@/domain/build-status";
import type { Clarification, PlacedClarification } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { keys } from "@/lib/query-keys";
import { answerOf, answerText, EMPTY_DRAFT, type Resolution } from "./answer-draft";
import { AnswerField } from "./answer-field";
import { AnswerForm } from "./answer-form";
import { fetchQuestion, useHint, useResolveQuestion } from "./api";
import { isOfAgent } from "./asked-by";
import { QuestionCard } from "./question-card";
import { ResolvedQuestionCard } from "./resolved-question-card";
import { watchQuestion } from "./watch-question";

interface OpenQuestionCardProps {
  asked: PlacedClarification;
  /** Whether the server still lists it as open. */
  listed: boolean;
  onGone: () => void;
}

/** A question with its project and build, and a field for the answer. */
export function OpenQuestionCard({ asked, listed, onGone }: OpenQuestionCardProps) {
  const { build_id: build, clarification: question } = asked;
  const resolve = useResolveQuestion(build);
  const hint = useHint(build);
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [settled, setSettled] = useState<Clarification | null>(null);
  const [mine, setMine] = useState(false);
  /** The answer that was chosen after the question expired. */
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
      setTried(answerText(resolution));
      notifyFailed(
        isStatus(error, 409) ? "The question is already resolved" : "Could not send the answer",
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
      notifyDone("Sent as a hint. Agents read it before their next turn.");
      onGone();
    } catch (error) {
      notifyFailed("Could not send the hint", error);
    }
  }

  const drafted = answerOf(question, draft);
  const unsent = tried ?? (drafted && answerText(drafted)) ?? "";
  const late =
    settled?.status === "timed_out" && isOfAgent(settled) && !isFinal(asked.build_status);
  return (
    <article>
      <Group gap="0.125rem 0.75rem" fz="sm">
        <Anchor component={Link} to={paths.project(asked.project_slug)} fz="sm" fw={600}>
          {asked.project_name}
        </Anchor>
        <Anchor
          component={Link}
          to={paths.build(asked.project_slug, asked.build_number)}
          fz="sm"
          c="dimmed"
        >
          {buildName({ number: asked.build_number, title: asked.build_title })}
        </Anchor>
      </Group>
      {settled ? (
        <ResolvedQuestionCard
          build={build}
          question={settled}
          you={mine}
          stays={late || (!mine && unsent !== "")}
          onClose={onGone}
        >
          {late ? (
            <AnswerField
              label={`Hint for: ${question.question}`}
              send="Send as a hint"
              text={unsent}
              busy={hint.isPending}
              onType={(text) => {
                setTried(null);
                setDraft({ chosen: [], text });
              }}
              onSend={sendHint}
            />
          ) : (
            !mine && unsent !== "" && <Text fz="sm">Your answer was not sent: “{unsent}”</Text>
          )}
        </ResolvedQuestionCard>
      ) : (
        <QuestionCard
          question={question}
          busy={resolve.isPending}
          onAnswer={(answer) => void settle({ answer })}
          onSkip={() => void settle({ skip: true })}
        >
          {question.kind === "confirmation" || question.kind === "work" ? (
            <Anchor
              component={Link}
              to={paths.build(asked.project_slug, asked.build_number)}
              fz="sm"
            >
              {question.kind === "work" ? "Show the build" : "Show what is open"}
            </Anchor>
          ) : (
            <AnswerForm
              question={question}
              draft={draft}
              busy={resolve.isPending}
              onChange={setDraft}
              onAnswer={(answer) => void settle(answer)}
            />
          )}
        </QuestionCard>
      )}
    </article>
  );
}
