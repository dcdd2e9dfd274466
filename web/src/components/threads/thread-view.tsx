import { Box, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import type { ReviewComment } from "@/lib/api";
import { plural } from "@/lib/format";
import { Disclosure } from "../disclosure";
import { OwnerOnly } from "../owner-only";
import { TimeAgo } from "../time-ago";
import { type CommentDrafts, replyKey } from "./comment-drafts";
import { CommentForm } from "./comment-form";
import { aroundSuggestion } from "./comment-text";
import { SuggestionCard } from "./suggestion-card";
import { lineRange, type Thread } from "./threads";

const Markdown = lazy(() => import("../markdown"));

interface ThreadViewProps {
  thread: Thread;
  /** Unsent replies. */
  drafts: CommentDrafts;
  onAnswer: (text: string) => Promise<unknown>;
  /** Without it the thread cannot be resolved. */
  onResolve?: () => void;
  resolving?: boolean;
  /** Accepts a suggested edit or withdraws the acceptance. */
  onAccept?: (comment: string, accepted: boolean) => void;
  /** The comment whose suggestion is being accepted. */
  accepting?: string | undefined;
  /** Shows the location, where the line itself is not visible. */
  withPlace?: boolean;
  /** The last of the lines in a later build; null if it was removed. */
  now?: number | null;
}

export function ThreadView({
  thread,
  drafts,
  onAnswer,
  onResolve,
  resolving,
  onAccept,
  accepting,
  withPlace,
  now,
}: ThreadViewProps) {
  const { first, answers } = thread;
  const lines = lineRange(first.first_line, first.line);
  const where = `${first.path}, ${lines}`;
  const all = [first, ...answers];
  const resolved = first.resolved_at !== null;
  const comments = all.map((comment) => (
    <Comment
      key={comment.id}
      comment={comment}
      onAccept={onAccept}
      accepting={accepting === comment.id}
    />
  ));
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
            <code>{first.path}</code>, {lines}
            {first.side === "old" && " before the change"}
            {typeof now === "number" &&
              ` · ${first.first_line ? "the last is " : ""}now line ${now}`}
            {now === null && ` · ${first.first_line ? "the last" : "this"} line was removed:`}
          </Text>
          <Code block mt={4} className="pre-wrap">
            {withoutIndent(first.line_text) || "(an empty line)"}
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
                <CommentForm
                  label={`Reply on ${where}`}
                  send="Reply"
                  text={drafts.textOf(replyKey(first.id))}
                  onChange={(text) => drafts.save(replyKey(first.id), text)}
                  onSend={onAnswer}
                />
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

/** Lines without the indent that all of them have. */
function withoutIndent(text: string): string {
  const lines = text.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines
    .map((line) => line.slice(Math.min(...indents)))
    .join("\n")
    .trimEnd();
}

interface CommentProps {
  comment: ReviewComment;
  onAccept: ThreadViewProps["onAccept"];
  accepting: boolean;
}

function Comment({ comment, onAccept, accepting }: CommentProps) {
  const { suggestion } = comment;
  const [before, after] = suggestion === null ? [comment.text, ""] : aroundSuggestion(comment.text);
  return (
    <div>
      <Text fz="xs" c="dimmed">
        <Text span fz="xs" fw={600} c="var(--mantine-color-text)">
          {comment.author.name}
        </Text>{" "}
        · <TimeAgo at={comment.created_at} />
      </Text>
      <Box mt={4} style={{ overflowWrap: "anywhere" }}>
        <CommentText text={before} />
        {suggestion !== null && (
          <SuggestionCard
            comment={comment}
            suggestion={suggestion}
            accepting={accepting}
            onAccept={onAccept && ((accepted) => onAccept(comment.id, accepted))}
          />
        )}
        <CommentText text={after} />
      </Box>
    </div>
  );
}

function CommentText({ text }: { text: string }) {
  if (text.trim() === "") return null;
  return (
    <Suspense fallback={<Text fz="sm">{text}</Text>}>
      <Markdown text={text} size="sm" />
    </Suspense>
  );
}
