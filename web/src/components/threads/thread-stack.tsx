import { Stack } from "@mantine/core";
import type { DiffLine, FileDiff } from "@/lib/api";
import { type CommentDrafts, newCommentKey } from "./comment-drafts";
import { NewComment } from "./new-comment";
import { ThreadView } from "./thread-view";
import { type CommentPlace, isOn, linesUpTo, placeOf, type Thread } from "./threads";

interface ThreadStackProps {
  threads: Thread[];
  diff: FileDiff;
  line: DiffLine;
  drafts: CommentDrafts;
  onAnswer: (thread: string, text: string) => Promise<unknown>;
  onResolve?: (thread: string) => void;
  /** The thread that is being resolved. */
  resolving?: string | undefined;
  onAccept?: (comment: string, accepted: boolean) => void;
  accepting?: string | undefined;
  /** Adds a comment on the line and those before it; without it, only replies are possible. */
  onComment?: (place: CommentPlace, text: string) => Promise<unknown>;
}

/** The threads on a line, and the comment that is being written on it. */
export function ThreadStack(props: ThreadStackProps) {
  const { threads, diff, line, drafts, onAnswer, onResolve, resolving, onComment } = props;
  const here = threads.filter((thread) => isOn(thread, diff.path, line));
  const place = placeOf(diff.path, line);
  const isWriting = onComment !== undefined && place !== null && drafts.has(newCommentKey(place));
  if (here.length === 0 && !isWriting) return null;
  return (
    <Stack
      gap="xs"
      px="sm"
      py="xs"
      bg="var(--surface-sunken)"
      style={{ borderBlock: "1px solid var(--line)" }}
    >
      {here.map((thread) => (
        <ThreadView
          key={thread.first.id}
          thread={thread}
          drafts={drafts}
          onAnswer={(text) => onAnswer(thread.first.id, text)}
          onResolve={onResolve && (() => onResolve(thread.first.id))}
          resolving={resolving === thread.first.id}
          onAccept={props.onAccept}
          accepting={props.accepting}
        />
      ))}
      {isWriting && (
        <NewComment
          place={place}
          lines={linesUpTo(diff, line)}
          drafts={drafts}
          onComment={onComment}
        />
      )}
    </Stack>
  );
}

export const hasOpenThread = (threads: Thread[], path: string): boolean =>
  threads.some(({ first }) => first.path === path && first.resolved_at === null);
