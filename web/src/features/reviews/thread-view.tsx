import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { TimeAgo } from "@/components/time-ago";
import type { ReviewComment } from "@/lib/api";
import { plural } from "@/lib/format";
import { CommentForm } from "./comment-form";
import classes from "./reviews.module.css";
import type { Thread } from "./threads";

interface ThreadViewProps {
  thread: Thread;
  onAnswer: (text: string) => Promise<unknown>;
  /** Without it the thread can be read and answered, and not settled. */
  onResolve?: () => void;
  resolving?: boolean;
  /** Says where it stands, for where the line itself is not beside it. */
  withPlace?: boolean;
  /** Where the line is in a later build; null where it is gone. */
  now?: number | null;
}

export function ThreadView({
  thread,
  onAnswer,
  onResolve,
  resolving,
  withPlace,
  now,
}: ThreadViewProps) {
  const { first, answers } = thread;
  const [opened, setOpened] = useState(false);
  const where = `${first.path}, line ${first.line}`;
  const all = [first, ...answers];
  const settled = first.resolved_at !== null;
  return (
    <section className={classes.thread} aria-label={`Comments on ${where}`}>
      {withPlace && (
        <div className={classes.place}>
          <Text fz="xs" c="dimmed">
            <code>{first.path}</code>, line {first.line}
            {first.side === "old" && " before the change"}
            {typeof now === "number" && ` · now line ${now}`}
            {now === null && " · this line is gone; it was:"}
          </Text>
          <code className={classes.quoted}>{first.line_text.trim() || "(an empty line)"}</code>
        </div>
      )}
      {settled && (
        <UnstyledButton
          className={classes.settled}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <IconCheck size={14} aria-hidden />
          Settled · {plural(all.length, "comment")}
          <IconChevronDown size={14} data-opened={opened || undefined} aria-hidden />
        </UnstyledButton>
      )}
      {(!settled || opened) && (
        <>
          {all.map((comment) => (
            <Said key={comment.id} comment={comment} />
          ))}
          {!settled && (
            <OwnerOnly>
              <Group align="flex-start" gap="xs">
                <div className={classes.answer}>
                  <CommentForm label={`Answer on ${where}`} send="Answer" onSend={onAnswer} />
                </div>
                {onResolve && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={resolving}
                    onClick={onResolve}
                    mt={3}
                  >
                    Settle
                  </Button>
                )}
              </Group>
            </OwnerOnly>
          )}
        </>
      )}
    </section>
  );
}

function Said({ comment }: { comment: ReviewComment }) {
  return (
    <div>
      <Text fz="xs" c="dimmed">
        <Text span fz="xs" fw={600} c="var(--mantine-color-text)">
          {comment.author.name}
        </Text>{" "}
        · <TimeAgo at={comment.created_at} />
      </Text>
      <Text fz="sm" className={classes.said}>
        {comment.text}
      </Text>
    </div>
  );
}
