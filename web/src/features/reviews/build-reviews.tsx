import { Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import type { BuildReviews as Said } from "@/lib/api";
import { plural } from "@/lib/format";
import { useAnswer, useBuildReviews } from "./api";
import { ApprovalBadge } from "./approval-badge";
import { DecisionList } from "./decision-list";
import { FollowUp } from "./follow-up";
import { ThreadView } from "./thread-view";
import { threadsOf } from "./threads";

/** Decisions and comments on the user's own build. */
export function BuildReviews({ buildId }: { buildId: string }) {
  const said = useBuildReviews(buildId).data;
  if (!said || (said.decisions.length === 0 && said.comments.length === 0)) return null;
  return <ReviewsSection buildId={buildId} said={said} />;
}

function ReviewsSection({ buildId, said }: { buildId: string; said: Said }) {
  const answer = useAnswer(buildId);
  const threads = threadsOf(said.comments);
  const open = threads.filter(({ first }) => first.resolved_at === null).length;
  const [newest] = said.decisions;
  return (
    <Stack
      component="section"
      gap="xs"
      px="md"
      py={10}
      mah="45%"
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
                withPlace
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
