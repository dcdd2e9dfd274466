import { ActionIcon, Alert, Button, Group, Text, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useId } from "react";
import { tooLong } from "@/domain/message-length";
import { messageOf } from "@/lib/api-error";
import classes from "./conversation.module.css";
import { useSendMessage } from "./interview-api";
import { useMessageDraft } from "./message-draft";

interface MessageFieldProps {
  projectId: string;
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  /** Whether the conversation is empty. */
  first: boolean;
  /** Whether a reply is running: typing is possible, sending is not. */
  waiting: boolean;
}

/** The field for messages; unsent text is kept in the browser. */
export function MessageField({ projectId, fieldRef, first, waiting }: MessageFieldProps) {
  const hintId = useId();
  const { text, type } = useMessageDraft(projectId);
  const said = useSendMessage(projectId);
  const fault = tooLong(text);
  const ready = text.trim() !== "" && !fault && !waiting && !said.isPending;

  function send() {
    if (ready) said.mutate(text.trim(), { onSuccess: () => type("") });
    fieldRef.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }
  return (
    <div className={classes.write}>
      {said.isError && (
        <Alert color="red" role="alert" p="sm" mb="xs" title="Could not send the message">
          <Group justify="space-between" gap="xs">
            <Text fz="sm">{messageOf(said.error)} Your text is kept.</Text>
            <Button size="xs" variant="default" disabled={!ready} onClick={send}>
              Try again
            </Button>
          </Group>
        </Alert>
      )}
      <div className={classes.field}>
        <Textarea
          ref={fieldRef}
          className={classes.input}
          attributes={{ input: { dir: "auto" } }}
          aria-label={first ? "Describe your project" : "Message"}
          aria-describedby={hintId}
          placeholder={first ? "It is for … Users want to … It must …" : "Write a reply"}
          autosize
          minRows={3}
          maxRows={12}
          value={text}
          error={fault}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Tooltip label="Send (Enter)">
          <ActionIcon
            size="lg"
            radius="xl"
            className={classes.send}
            aria-label="Send"
            disabled={!ready}
            loading={said.isPending}
            onClick={send}
          >
            <IconArrowUp size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <Text fz="xs" c="dimmed" mt={6} id={hintId}>
        {waiting
          ? "You can send this when the reply is complete."
          : "Press Enter to send, Shift+Enter for a new line."}
      </Text>
    </div>
  );
}
