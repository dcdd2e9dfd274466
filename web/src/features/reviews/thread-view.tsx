import { Box, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Disclosure } from "@/components/disclosure";
import { OwnerOnly } from "@/components/owner-only";
import { TimeAgo } from "@/components/time-ago";
import type { ReviewComment } from "@/lib/api";
import { plural } from "@/lib/format";
import { CommentForm } from "./comment-form";
import type { Thread } from "./threads";

interface ThreadViewProps {
  thread: Thread;
  onAnswer: (text: string) => Promise<unknown>;
  /** Without it the thread cannot be resolved. */
  onResolve?: () => void;
  resolving?: boolean;
  /** Shows the location, where the line itself is not visible. */
  withPlace?: boolean;
  /** The line in a later build; null if it was removed. */
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
  const where = `${first.path}, line ${first.line}`;
  const all = [first, ...answers];
  const resolved = first.resolved_at !== null;
  const comments = all.map((comment) => <Comment key={comment.id} comment={comment} />);
  return (
    <Stack
      component="section"
      gap="xs"
      maw="44rem"
      px="sm"
      py={10}
      bg="var(--surface)"
      bd="1px solid var(--line)"
      bdrs="md"
      aria-label={`Comments on ${where}`}
    >
      {withPlace && (
        <Box miw={0}>
          <Text fz="xs" c="dimmed">
            <code>{first.path}</code>, line {first.line}
            {first.side === "old" && " before the change"}
            {typeof now === "number" && ` · now line ${now}`}
            {now === null && " · this line was removed:"}
          </Text>
          <Code block mt={4} className="pre-wrap">
            {first.line_text.trim() || "(an empty line)"}
          </Code>
        </Box>
      )}
      {resolved ? (
        <Disclosure
          summary={
            <>
              <IconCheck size={14} aria-hidden />
              Resolved · {plural(all.length, "comment")}
            </>
          }
        >
          {comments}
        </Disclosure>
      ) : (
        <>
          {comments}
          <OwnerOnly>
            <Group align="flex-start" gap="xs">
              <Box flex={1} miw={0}>
                <CommentForm label={`Reply on ${where}`} send="Reply" onSend={onAnswer} />
              </Box>
              {onResolve && (
                <Button size="xs" variant="default" loading={resolving} onClick={onResolve} mt={3}>
                  Resolve
                </Button>
              )}
            </Group>
          </OwnerOnly>
        </>
      )}
    </Stack>
  );
}

function Comment({ comment }: { comment: ReviewComment }) {
  return (
    <div>
      <Text fz="xs" c="dimmed">
        <Text span fz="xs" fw={600} c="var(--mantine-color-text)">
          {comment.author.name}
        </Text>{" "}
        · <TimeAgo at={comment.created_at} />
      </Text>
      <Text fz="sm" mt={4} className="pre-wrap">
        {comment.text}
      </Text>
    </div>
  );
}
