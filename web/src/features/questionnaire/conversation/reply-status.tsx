import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { IconAlertCircle, IconPlayerStop } from "@tabler/icons-react";
import { useCancelGeneration, useResumeGeneration } from "@/domain/feed/generation-commands";
import { isRunning } from "@/domain/generation";
import type { Generation, Interview } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { notifyFailed } from "@/lib/notify";
import { activityLabel, stateOf, usageLabel } from "./interview-labels";

interface AnswerStateProps {
  interview: Interview;
  /** Called when the pressed button is removed, to move the focus. */
  onPressed: () => void;
}

/** Below the messages: the model's activity, or why there is no reply. */
export function ReplyStatus({ interview, onPressed }: AnswerStateProps) {
  const { generation } = interview;
  if (!generation) return null;
  switch (stateOf(interview)) {
    case "answering":
      return <Answering generation={generation} onStopped={onPressed} />;
    case "open":
      return (
        <Text fz="xs" c="dimmed" mt={6} ps={42} className="tabular">
          {usageLabel(generation)}
        </Text>
      );
    default:
      return <NoAnswer generation={generation} onResumed={onPressed} />;
  }
}

function Answering({ generation, onStopped }: { generation: Generation; onStopped: () => void }) {
  const cancel = useCancelGeneration(generation);
  return (
    <Group gap={10} wrap="nowrap" mih={32} mt={18} ps={6} c="var(--tone-accent-text)">
      <Loader size={14} type="dots" color="currentColor" aria-hidden />
      <Text fz="sm" c="dimmed" role="status" flex={1} miw={0}>
        {activityLabel(generation)}
      </Text>
      {isRunning(generation) && (
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
    </Group>
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
      title={failed ? "No reply" : "You stopped the reply"}
    >
      <Text fz="sm">
        {failed && `${generation.failure} `}
        Your message and the answers in the form are kept.
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
