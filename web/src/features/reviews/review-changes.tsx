import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { IconMessagePlus } from "@tabler/icons-react";
import { ChangesView } from "@/components/changes/changes-view";
import { lineName } from "@/components/code/diff-entry";
import { QueryView } from "@/components/query-view";
import { type CommentDrafts, newCommentKey } from "@/components/threads/comment-drafts";
import { hasOpenThread, ThreadStack } from "@/components/threads/thread-stack";
import { placeOf, threadsOf } from "@/components/threads/threads";
import { useChangedFiles } from "@/domain/changes/change-source";
import type { DiffFile, DiffLine, ReviewComment } from "@/lib/api";
import { useComment, useResolve } from "./api";

interface ReviewChangesProps {
  buildId: string;
  comments: ReviewComment[];
  drafts: CommentDrafts;
}

/** The diff of the build with comment threads on its lines. */
export function ReviewChanges({ buildId, comments, drafts }: ReviewChangesProps) {
  const source = { of: "reviews", build: buildId, commit: null } as const;
  const comment = useComment(buildId);
  const resolve = useResolve(buildId);
  const threads = threadsOf(comments);

  function action(file: DiffFile, line: DiffLine) {
    const place = placeOf(file.path, line);
    if (!place) return null;
    const which = place.side === "old" ? "removed line" : "line";
    return (
      <ActionIcon
        key={lineName(line)}
        size={20}
        aria-label={`Comment on ${which} ${place.number}`}
        onClick={() => drafts.save(newCommentKey(place), drafts.textOf(newCommentKey(place)), true)}
      >
        <IconMessagePlus size={14} aria-hidden />
      </ActionIcon>
    );
  }

  return (
    <>
      {/* The files are headings of the third level. */}
      <VisuallyHidden component="h2">Changes</VisuallyHidden>
      <QueryView query={useChangedFiles(source)} what="changes">
        {(changes) => (
          <ChangesView
            source={source}
            changes={changes}
            hasThreads={(path) => hasOpenThread(threads, path)}
            action={action}
            beneath={(diff, line) => (
              <ThreadStack
                key={lineName(line)}
                threads={threads}
                diff={diff}
                line={line}
                drafts={drafts}
                onAnswer={(parent_id, text) => comment.mutateAsync({ text, parent_id })}
                onResolve={(thread) => resolve.mutate(thread)}
                resolving={resolve.isPending ? resolve.variables : undefined}
                onComment={(place, text) => comment.mutateAsync({ text, line: place })}
              />
            )}
            empty={{
              title: "No changes",
              text: "The sealed branch is identical to its baseline.",
            }}
          />
        )}
      </QueryView>
    </>
  );
}
