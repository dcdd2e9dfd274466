import { ActionIcon, Alert, Button, Group, Text, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useId } from "react";
import { tooLong } from "@/lib/message-length";
import { messageOf } from "@/lib/problem";
import classes from "./conversation.module.css";
import { useSay } from "./interview-api";
import { useMessageDraft } from "./message-draft";

interface MessageFieldProps {
  projectId: string;
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  /** Whether nothing was said yet. */
  first: boolean;
  /** Whether an answer is on its way: then one can write, and send in a moment. */
  waiting: boolean;
}

/** Where a person writes; what is not sent yet survives the page. */
export function MessageField({ projectId, fieldRef, first, waiting }: MessageFieldProps) {
  const hintId = useId();
  const { text, type } = useMessageDraft(projectId);
  const said = useSay(projectId);
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
        <Alert color="red" role="alert" p="sm" mb="xs" title="This could not be sent">
          <Group justify="space-between" gap="xs">
            <Text fz="sm">{messageOf(said.error)} Your text is still here.</Text>
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
          aria-label={first ? "What should be built, in your own words" : "Your message"}
          aria-describedby={hintId}
          placeholder={first ? "It is for … They want to … It has to …" : "Write your answer"}
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
          ? "You can send this once the answer is here."
          : "Enter sends, Shift and Enter begin a new line."}
      </Text>
    </div>
  );
}
