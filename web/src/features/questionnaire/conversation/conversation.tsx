import { Anchor, Box, Card, Flex, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { Columns } from "@/components/columns";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { Reconnecting } from "@/components/reconnecting";
import type { Interview } from "@/lib/api";
import { paths } from "@/lib/paths";
import { AnswersConflict } from "../answers/answers-conflict";
import type { AnswersForm } from "../answers/use-answers";
import { AnswersSummary } from "./answers-summary";
import classes from "./conversation.module.css";
import { stateOf } from "./interview-labels";
import { MessageField } from "./message-field";
import { MessageRow } from "./message-row";
import { ReplyStatus } from "./reply-status";

interface ConversationProps {
  form: AnswersForm;
  query: UseQueryResult<Interview>;
  /** Whether the stream is disconnected. */
  lost: boolean;
}

/** The user describes the project; a model fills in the form and asks questions. */
export function Conversation({ form, query, lost }: ConversationProps) {
  return (
    <>
      <Reconnecting lost={lost} />
      <QueryView query={query} what="conversation">
        {(interview) => (
          <Columns widths="19rem minmax(0, 1fr)">
            <AnswersSummary form={form} run={interview.generation?.id ?? null} />
            <Box miw={0}>
              <AnswersConflict form={form} />
              <Talk projectId={form.projectId} interview={interview} />
            </Box>
          </Columns>
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
    // An on-screen keyboard would hide the messages.
    if (!window.matchMedia("(pointer: coarse)").matches) field.current?.focus();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each message, and as it is answered
  useEffect(() => {
    if (messages.length > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [messages.length, state]);

  if (!available && messages.length === 0) return <NoModel projectId={projectId} />;
  return (
    <Card component="section" aria-labelledby="talk-title" className={classes.card}>
      <VisuallyHidden component="h2" id="talk-title">
        Conversation
      </VisuallyHidden>
      {messages.length === 0 ? (
        <Welcome />
      ) : (
        <div role="log" aria-label="Messages">
          <Stack component="ol" gap={18} className="plain-list">
            {messages.map((message, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nothing is taken away
              <MessageRow key={index} message={message} />
            ))}
          </Stack>
        </div>
      )}
      <ReplyStatus interview={interview} onPressed={() => field.current?.focus()} />
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
          No model is available to reply.{" "}
          <Anchor component={Link} inherit underline="always" to={paths.questionnaire(projectId)}>
            Continue in the form
          </Anchor>
        </Text>
      )}
    </Card>
  );
}

function Welcome() {
  return (
    <Flex gap={12} align="flex-start" maw={608}>
      <span className={classes.mark} aria-hidden>
        <IconMessages size={18} />
      </span>
      <div>
        <Text fw={600}>Describe your project</Text>
        <Text fz="sm" c="dimmed" mt={2}>
          Explain what it does, who uses it, and what for. Your answers fill in the form, and you
          are asked about what is missing.
        </Text>
      </div>
    </Flex>
  );
}

function NoModel({ projectId }: { projectId: string }) {
  return (
    <Card component="section" aria-label="Conversation">
      <EmptyState
        icon={<IconMessages size={22} />}
        title="No model available"
        action={
          <Anchor component={Link} to={paths.questionnaire(projectId)}>
            Use the form
          </Anchor>
        }
      >
        An administrator can set a provider’s key in the installation settings. The form works
        without a model.
      </EmptyState>
    </Card>
  );
}
