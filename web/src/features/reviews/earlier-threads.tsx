import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import type { EarlierReview } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useComment, useEarlierReview, useResolve } from "./api";
import { DecisionList } from "./decision-list";
import { ThreadView } from "./thread-view";
import { threadsOf } from "./threads";

/** Threads of the previous build, at their current lines. */
export function EarlierThreads({ buildId, earlier }: { buildId: string; earlier: string }) {
  const query = useEarlierReview(buildId);
  return (
    <SectionCard
      title="Previous review"
      description="Comments on the previous build, at their current lines."
    >
      <Stack gap="md">
        <Anchor component={Link} to={paths.review(earlier)} fz="sm">
          Open previous review
        </Anchor>
        <QueryView query={query} what="previous review">
          {(review) => <Threads review={review} onChange={() => void query.refetch()} />}
        </QueryView>
      </Stack>
    </SectionCard>
  );
}

function Threads({ review, onChange }: { review: EarlierReview; onChange: () => void }) {
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
