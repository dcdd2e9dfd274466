import { Stack } from "@mantine/core";
import type { DiffLine } from "@/lib/api";
import { type CommentDrafts, newCommentKey } from "./comment-drafts";
import { CommentForm } from "./comment-form";
import { ThreadView } from "./thread-view";
import { isOn, type Place, placeOf, type Thread } from "./threads";

interface ThreadStackProps {
  threads: Thread[];
  path: string;
  line: DiffLine;
  drafts: CommentDrafts;
  onAnswer: (thread: string, text: string) => Promise<unknown>;
  onResolve?: (thread: string) => void;
  /** The thread that is being resolved. */
  resolving?: string | undefined;
  onAccept?: (comment: string, accepted: boolean) => void;
  accepting?: string | undefined;
  /** Adds a comment on the line; without it, only replies are possible. */
  onComment?: (place: Place, text: string) => Promise<unknown>;
}

/** The threads on a line, and the comment that is being written on it. */
export function ThreadStack(props: ThreadStackProps) {
  const { threads, path, line, drafts, onAnswer, onResolve, resolving, onComment } = props;
  const here = threads.filter((thread) => isOn(thread, path, line));
  const place = placeOf(path, line);
  const draft = place && newCommentKey(place);
  const isWriting = onComment !== undefined && draft !== null && drafts.has(draft);
  if (here.length === 0 && !isWriting) return null;
  const text = line.spans.map((span) => span.text).join("");
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
      {isWriting && place && draft && (
        <CommentForm
          autoFocus={drafts.textOf(draft) === ""}
          label={`Comment on line ${place.number}`}
          send="Comment"
          text={drafts.textOf(draft)}
          onChange={(text) => drafts.save(draft, text, true)}
          onSend={(text) => onComment(place, text)}
          onClose={() => drafts.save(draft, "")}
          suggestFor={place.side === "new" ? text : undefined}
        />
      )}
    </Stack>
  );
}

export const hasOpenThread = (threads: Thread[], path: string): boolean =>
  threads.some(({ first }) => first.path === path && first.resolved_at === null);
