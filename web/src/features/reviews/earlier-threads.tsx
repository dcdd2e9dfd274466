import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { QueryView } from "@/components/query-view";
import type { CommentDrafts } from "@/components/threads/comment-drafts";
import { ThreadView } from "@/components/threads/thread-view";
import { threadsOf } from "@/components/threads/threads";
import type { EarlierReview } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useComment, useEarlierReview, useResolve } from "./api";
import { DecisionList } from "./decision-list";

interface EarlierThreadsProps {
  buildId: string;
  earlier: string;
  drafts: CommentDrafts;
}

/** Threads of the previous build, at their current lines. */
export function EarlierThreads({ buildId, earlier, drafts }: EarlierThreadsProps) {
  const query = useEarlierReview(buildId);
  return (
    <Stack gap="md" mt="xs">
      <Text fz="sm" c="dimmed">
        Comments on the previous build, at their current lines.
      </Text>
      <Anchor component={Link} to={paths.review(earlier)} fz="sm">
        Open previous review
      </Anchor>
      <QueryView query={query} what="previous review">
        {(review) => (
          <Threads review={review} drafts={drafts} onChange={() => void query.refetch()} />
        )}
      </QueryView>
    </Stack>
  );
}

interface ThreadsProps {
  review: EarlierReview;
  drafts: CommentDrafts;
  onChange: () => void;
}

function Threads({ review, drafts, onChange }: ThreadsProps) {
  const comment = useComment(review.build_id);
  const resolve = useResolve(review.build_id);
  const now = new Map(review.comments.map(({ id, line_now }) => [id, line_now]));
  const threads = threadsOf(review.comments);
  return (
    <>
      <DecisionList decisions={review.decisions} />
      {threads.length === 0 && (
        <Text fz="sm" c="dimmed">
          No comments.
        </Text>
      )}
      {threads.map((thread) => (
        <ThreadView
          key={thread.first.id}
          thread={thread}
          drafts={drafts}
          withPlace
          now={now.get(thread.first.id)}
          resolving={resolve.isPending && resolve.variables === thread.first.id}
          onAnswer={async (text) => {
            await comment.mutateAsync({ text, parent_id: thread.first.id });
            onChange();
          }}
          onResolve={() => resolve.mutate(thread.first.id, { onSuccess: onChange })}
        />
      ))}
    </>
  );
}
