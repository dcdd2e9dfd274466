import { Anchor, Card, Text, Title } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { Reconnecting } from "@/components/reconnecting";
import type { Interview } from "@/lib/api";
import { paths } from "@/lib/paths";
import { AnswerState } from "./answer-state";
import { AnswersConflict } from "./answers-conflict";
import classes from "./conversation.module.css";
import { stateOf } from "./interview-words";
import { MessageField } from "./message-field";
import { MessageRow } from "./message-row";
import { Understood } from "./understood";
import type { AnswersForm } from "./use-answers";

interface ConversationProps {
  form: AnswersForm;
  query: UseQueryResult<Interview>;
  /** Whether the connection is away. */
  lost: boolean;
}

/** A person says what should be built, a model fills the form and asks on. */
export function Conversation({ form, query, lost }: ConversationProps) {
  return (
    <>
      <Reconnecting lost={lost} />
      <QueryView query={query} what="the conversation">
        {(interview) => (
          <div className={classes.columns}>
            <Understood form={form} run={interview.generation?.id ?? null} />
            <div className={classes.content}>
              <AnswersConflict form={form} />
              <Talk projectId={form.projectId} interview={interview} />
            </div>
          </div>
        )}
      </QueryView>
    </>
  );
}

interface TalkProps {
  projectId: string;
  interview: Interview;
}

function Talk({ projectId, interview }: TalkProps) {
  const { messages, available } = interview;
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const state = stateOf(interview);

  useEffect(() => {
    // A keyboard that comes up by itself would hide what was said.
    if (!window.matchMedia("(pointer: coarse)").matches) field.current?.focus();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each message, and as it is answered
  useEffect(() => {
    if (messages.length > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [messages.length, state]);

  if (!available && messages.length === 0) return <NoModel projectId={projectId} />;
  return (
    <Card component="section" aria-labelledby="talk-title" className={classes.card}>
      <Title order={2} id="talk-title" className="visually-hidden">
        Conversation
      </Title>
      {messages.length === 0 ? (
        <Welcome />
      ) : (
        <div role="log" aria-label="What was said">
          <ol className={classes.messages}>
            {messages.map((message, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nothing is taken away
              <MessageRow key={index} message={message} />
            ))}
          </ol>
        </div>
      )}
      <AnswerState interview={interview} onPressed={() => field.current?.focus()} />
      <div ref={end} className={classes.end} />
      {available ? (
        <MessageField
          projectId={projectId}
          fieldRef={field}
          first={messages.length === 0}
          waiting={state === "answering"}
        />
      ) : (
        <Text fz="sm" c="dimmed" className={classes.write}>
          There is no model any more that could answer.{" "}
          <Anchor component={Link} inherit underline="always" to={paths.questionnaire(projectId)}>
            Go on in the form
          </Anchor>
        </Text>
      )}
    </Card>
  );
}

function Welcome() {
  return (
    <div className={classes.welcome}>
      <span className={classes.mark} aria-hidden>
        <IconMessages size={18} />
      </span>
      <div>
        <Text fw={600}>Tell it in your own words</Text>
        <Text fz="sm" c="dimmed" mt={2}>
          What it does, who uses it, what they do with it: as short or as long as you like. What you
          say goes into the form, and what is missing is asked, a question or two at a time.
        </Text>
      </div>
    </div>
  );
}

function NoModel({ projectId }: { projectId: string }) {
  return (
    <Card component="section" aria-label="Conversation" bg="var(--surface)">
      <EmptyState
        icon={<IconMessages size={22} />}
        title="There is no model to talk to"
        action={
          <Anchor component={Link} to={paths.questionnaire(projectId)}>
            Answer in the form
          </Anchor>
        }
      >
        Whoever runs ForgeGuard can set ANTHROPIC_API_KEY or OPENAI_API_KEY. The form works without.
      </EmptyState>
    </Card>
  );
}
