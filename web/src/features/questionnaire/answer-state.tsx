import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { IconAlertCircle, IconPlayerStop } from "@tabler/icons-react";
import type { Generation, Interview } from "@/lib/api";
import { useCancelGeneration, useResumeGeneration } from "@/lib/feed/generation-commands";
import { isUnderWay } from "@/lib/generation";
import { notifyFailed } from "@/lib/notify";
import { messageOf } from "@/lib/problem";
import classes from "./conversation.module.css";
import { doingWords, spentWords, stateOf } from "./interview-words";

interface AnswerStateProps {
  interview: Interview;
  /** The button that was pressed goes away. */
  onPressed: () => void;
}

/** Below the messages: what the model does right now, or why no answer came. */
export function AnswerState({ interview, onPressed }: AnswerStateProps) {
  const { generation } = interview;
  if (!generation) return null;
  switch (stateOf(interview)) {
    case "answering":
      return <Answering generation={generation} onStopped={onPressed} />;
    case "open":
      return (
        <Text fz="xs" c="dimmed" className={classes.spent}>
          {spentWords(generation)}
        </Text>
      );
    default:
      return <NoAnswer generation={generation} onResumed={onPressed} />;
  }
}

function Answering({ generation, onStopped }: { generation: Generation; onStopped: () => void }) {
  const cancel = useCancelGeneration(generation);
  return (
    <div className={classes.doing}>
      <Loader size={14} type="dots" color="currentColor" aria-hidden />
      <Text fz="sm" c="dimmed" role="status" className={classes.doingWords}>
        {doingWords(generation)}
      </Text>
      {isUnderWay(generation) && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={() =>
            cancel.mutate(undefined, {
              onSuccess: onStopped,
              onError: (error) => notifyFailed("Could not stop", error),
            })
          }
        >
          Stop
        </Button>
      )}
    </div>
  );
}

function NoAnswer({ generation, onResumed }: { generation: Generation; onResumed: () => void }) {
  const resume = useResumeGeneration(generation);
  const failed = generation.status === "failed";
  return (
    <Alert
      role="alert"
      color={failed ? "red" : "gray"}
      icon={failed ? <IconAlertCircle aria-hidden /> : <IconPlayerStop aria-hidden />}
      title={failed ? "No answer came" : "You stopped the answer"}
    >
      <Text fz="sm">
        {failed && `${generation.failure} `}
        What you said is kept, and so is what was written into the form.
      </Text>
      {resume.isError && (
        <Text fz="sm" mt={4} c="var(--mantine-color-error)">
          {messageOf(resume.error)}
        </Text>
      )}
      <Group mt="sm">
        <Button
          size="xs"
          variant="default"
          loading={resume.isPending}
          onClick={() => resume.mutate(undefined, { onSuccess: onResumed })}
        >
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
