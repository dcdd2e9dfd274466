import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "react-router";
import { Virtuoso } from "react-virtuoso";
import { Disclosure } from "@/components/disclosure";
import { OutputText } from "@/components/output-text";
import { QueryView } from "@/components/query-view";
import { ScrollPanel } from "@/components/scroll-panel";
import type { Transcript, TranscriptMessage } from "@/lib/api";
import { formatDate, plural } from "@/lib/format";
import { useTranscript } from "./api";
import { MessageView } from "./message-view";
import {
  type Conversation,
  conversationName,
  outcomeLabel,
  taskName,
  usageLabel,
} from "./run-labels";
import classes from "./transcripts.module.css";

/** Up to here the whole conversation is rendered, so that the browser's search finds all of it. */
const MAX_PLAIN_MESSAGES = 200;

interface TranscriptViewProps {
  buildId: string;
  conversation: Conversation;
}

export function TranscriptView({ buildId, conversation }: TranscriptViewProps) {
  const query = useTranscript(buildId, conversation.id);
  return (
    <Stack gap={0} h="100%" mih={0}>
      <Group className={classes.header} gap="0.25rem 1rem">
        <Anchor
          component={Link}
          to={{ search: "?tab=transcripts" }}
          fz="sm"
          className={classes.back}
        >
          <IconArrowLeft size={15} aria-hidden /> All transcripts
        </Anchor>
        <Title order={3} fz="md">
          {conversationName(conversation)}
        </Title>
        <Text fz="xs" c="dimmed">
          {usageLabel(conversation)}
        </Text>
      </Group>
      <QueryView query={query} what="transcript">
        {(transcript) => (
          <Messages buildId={buildId} conversation={conversation} transcript={transcript} />
        )}
      </QueryView>
    </Stack>
  );
}

interface MessagesProps extends TranscriptViewProps {
  transcript: Transcript;
}

function Messages({ buildId, conversation, transcript }: MessagesProps) {
  const { items } = transcript;
  const runs = useMemo(
    () => new Map(conversation.runs.map((run) => [run.run_id, run])),
    [conversation],
  );
  const row = (index: number, message: TranscriptMessage) => {
    const run = runs.get(message.run_id);
    const isFirst = items[index - 1]?.run_id !== message.run_id;
    return (
      <div className={classes.row}>
        {index === 0 && <Sent transcript={transcript} />}
        {isFirst && run && (
          <h4 className={classes.run}>
            {taskName(run)}{" "}
            <span>
              {formatDate(run.started_at)} · {outcomeLabel(run)}
            </span>
          </h4>
        )}
        <MessageView buildId={buildId} message={message} role={transcript.role} />
      </div>
    );
  };
  if (items.length > MAX_PLAIN_MESSAGES) {
    return (
      <Virtuoso
        className={classes.list}
        data={items}
        computeItemKey={(_, message) => keyOf(message)}
        itemContent={row}
        increaseViewportBy={2_000}
        tabIndex={0}
        role="region"
        aria-label="Transcript"
      />
    );
  }
  return (
    <div className={classes.list}>
      <ScrollPanel label="Transcript">
        {items.length === 0 && <Sent transcript={transcript} />}
        {items.map((message, index) => (
          <div key={keyOf(message)}>{row(index, message)}</div>
        ))}
      </ScrollPanel>
    </div>
  );
}

const keyOf = ({ run_id, position }: TranscriptMessage) => `${run_id}:${position}`;

/** What precedes the conversation in every request. */
function Sent({ transcript: { system, tools } }: { transcript: Transcript }) {
  return (
    <Stack gap={4} mb="md">
      <Disclosure summary="System prompt">
        <OutputText text={system} />
      </Disclosure>
      <Disclosure summary={plural(tools.length, "tool")}>
        <OutputText text={tools.join("\n")} />
      </Disclosure>
    </Stack>
  );
}
