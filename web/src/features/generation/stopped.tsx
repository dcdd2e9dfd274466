import { Alert, Button, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconPlayerStop } from "@tabler/icons-react";
import type { Generation } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { useResumeGeneration } from "@/lib/feed/generation-commands";
import { messageOf } from "@/lib/problem";
import classes from "./generation.module.css";
import { currentOf, keptWords, spentWords } from "./generation-words";
import { Refusals } from "./refusals";

interface StoppedProps {
  generation: Generation;
  onResumed: () => void;
}

/** What happened to a run that did not come to its end, what was kept, and the way on. */
export function Stopped({ generation, onResumed }: StoppedProps) {
  const { status, failure, contracts } = generation;
  const resume = useResumeGeneration(generation);
  const failed = status === "failed";
  const current = currentOf(generation);
  const spent = spentWords(generation);
  return (
    <div className={classes.offer}>
      <span className={classes.mark} data-failed={failed || undefined}>
        {failed ? (
          <IconAlertCircle size={22} aria-hidden />
        ) : (
          <IconPlayerStop size={22} aria-hidden />
        )}
      </span>
      <div className={classes.text}>
        <Title order={2}>
          {failed
            ? `Stopped${current ? ` at ${contractName(current.type)}` : ""}`
            : "Writing was cancelled"}
        </Title>
        {failure && (
          <Text fz="sm" mt={4}>
            {failure}
          </Text>
        )}
        <Text fz="sm" c="dimmed" mt={4}>
          {keptWords(generation)} {spent && `So far ${spent}.`}
        </Text>
        <Refusals contracts={contracts} />
        {resume.isError && (
          <Alert color="red" role="alert" mt="sm" p="sm">
            {messageOf(resume.error)}
          </Alert>
        )}
      </div>
      <Button
        className={classes.action}
        loading={resume.isPending}
        onClick={() => resume.mutate(undefined, { onSuccess: onResumed })}
      >
        Go on
      </Button>
    </div>
  );
}
