import { Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import { useCommentDrafts } from "@/components/threads/comment-drafts";
import { ThreadView } from "@/components/threads/thread-view";
import { threadsOf } from "@/components/threads/threads";
import { useAcceptSuggestion, useAnswer, useBuildReviews } from "@/domain/changes/review-threads";
import { useCanEdit } from "@/domain/project-access";
import type { BuildReviews as Said } from "@/lib/api";
import { plural } from "@/lib/format";
import { ApprovalBadge } from "./approval-badge";
import { DecisionList } from "./decision-list";
import { FollowUp } from "./follow-up";

/** Decisions and comments on the user's own build. A sealed demo build offers its follow-up. */
export function BuildReviews({ buildId }: { buildId: string }) {
  const said = useBuildReviews(buildId).data;
  if (!said) return null;
  const isReviewed = said.decisions.length > 0 || said.comments.length > 0;
  if (isReviewed) return <ReviewsSection buildId={buildId} said={said} />;
  const isOffered = said.recorded_request !== null && (said.may_follow_up || said.follow_up);
  return isOffered ? <DemoFollowUp buildId={buildId} said={said} /> : null;
}

function DemoFollowUp({ buildId, said }: { buildId: string; said: Said }) {
  return (
    <Stack
      component="section"
      px="md"
      py={6}
      style={{ flex: "none", borderBottom: "1px solid var(--line)" }}
      aria-label="Ask for a change"
    >
      <Disclosure summary="Ask for a change" heading>
        <FollowUp buildId={buildId} review={said} owner="me" />
      </Disclosure>
    </Stack>
  );
}

function ReviewsSection({ buildId, said }: { buildId: string; said: Said }) {
  const answer = useAnswer(buildId);
  const accept = useAcceptSuggestion(buildId);
  const drafts = useCommentDrafts(buildId);
  const isOpen = said.follow_up === null && said.follow_up_obstacle === null;
  const canAccept = useCanEdit() && isOpen && said.recorded_request === null;
  const accepted = said.comments.filter((comment) => comment.suggestion_accepted_at !== null);
  const threads = threadsOf(said.comments);
  const open = threads.filter(({ first }) => first.resolved_at === null).length;
  const [newest] = said.decisions;
  return (
    <Stack
      component="section"
      gap="xs"
      px="md"
      py={10}
      mah="35%"
      className="scroll"
      style={{ flex: "none", borderBottom: "1px solid var(--line)" }}
      aria-labelledby="review-title"
    >
      <VisuallyHidden component="h3" id="review-title">
        Review
      </VisuallyHidden>
      <Group gap="sm">
        {newest && (
          <ApprovalBadge
            decision={isDecided(said) ? newest.decision : null}
            approvals={said.approvals}
            required={said.required_approvals}
          />
        )}
        <Text fz="sm" flex="1 1 16rem">
          {newest ? decisionLabel(newest) : "An administrator is reviewing this build."}
          {open > 0 && ` ${plural(open, "thread is", "threads are")} open.`}
          {accepted.length > 0 &&
            said.follow_up === null &&
            ` The follow-up commits ${plural(accepted.length, "suggestion")} first.`}
        </Text>
      </Group>
      <FollowUp buildId={buildId} review={said} owner="me" />
      <div>
        <Disclosure summary="Comments">
          <Stack gap="sm" mt="xs">
            {said.decisions.length > 0 && <DecisionList decisions={said.decisions} />}
            {threads.map((thread) => (
              <ThreadView
                key={thread.first.id}
                thread={thread}
                drafts={drafts}
                withPlace
                onAccept={
                  canAccept
                    ? (comment, accepted) => accept.mutate({ comment, accepted })
                    : undefined
                }
                accepting={accept.isPending ? accept.variables.comment : undefined}
                onAnswer={(text) => answer.mutateAsync({ text, parent_id: thread.first.id })}
              />
            ))}
          </Stack>
        </Disclosure>
      </div>
    </Stack>
  );
}

function isDecided({ decisions: [newest], approvals, required_approvals }: Said): boolean {
  return newest?.decision === "changes_requested" || approvals >= required_approvals;
}

function decisionLabel({ decision, reviewer }: Said["decisions"][number]): string {
  return decision === "approved"
    ? `${reviewer.name} approved this build.`
    : `${reviewer.name} requested changes.`;
}
