import { Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { CopyIcon } from "@/components/copy-icon";
import { ClauseList } from "@/components/evidence/clause-list";
import { BackLink } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import { VerdictBadge } from "@/components/verdict-badge";
import { VerifyResult } from "@/components/verify-result";
import { usePageTitle } from "@/domain/use-page-title";
import { VERDICT } from "@/domain/verdict";
import type { Review } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { plural, shortBranch, shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useReview, useVerifyReview } from "./api";
import { ApprovalBadge } from "./approval-badge";
import { DecisionForm } from "./decision-form";
import { DecisionList } from "./decision-list";
import { EarlierThreads } from "./earlier-threads";
import { FollowUp } from "./follow-up";
import { ReviewChanges } from "./review-changes";

export function ReviewPage({ buildId }: { buildId: string }) {
  const query = useReview(buildId);
  usePageTitle(query.data?.project_name, "Review");
  return (
    <Stack gap="md">
      <BackLink to={paths.reviews}>Reviews</BackLink>
      <QueryView query={query} what="review">
        {(review) => (
          <>
            <Head review={review} />
            <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: "start" }}>
              <SectionCard title="Decision">
                <Stack gap="md">
                  {review.decisions.length > 0 && <DecisionList decisions={review.decisions} />}
                  {review.required_approvals > 1 && (
                    <Text fz="sm">
                      {review.approvals} of {plural(review.required_approvals, "approval")}. The
                      build is approved when {review.required_approvals} administrators have
                      approved it.
                    </Text>
                  )}
                  <DecisionForm review={review} />
                  <FollowUp buildId={buildId} review={review} owner={review.owner.id} />
                </Stack>
              </SectionCard>
              <SectionCard title="Evidence" description={VERDICT[review.verdict].meaning}>
                <ClauseList clauses={review.seal.evidence.clauses} />
                <VerifyReview buildId={buildId} />
              </SectionCard>
            </SimpleGrid>
            {review.follows && <EarlierThreads buildId={buildId} earlier={review.follows} />}
            <SectionCard
              title="Changes"
              description={`${plural(review.commit_count, "commit")}. Hover over a line to comment on it.`}
            >
              <ReviewChanges buildId={buildId} comments={review.comments} />
            </SectionCard>
          </>
        )}
      </QueryView>
    </Stack>
  );
}

function Head({ review }: { review: Review }) {
  return (
    <div>
      <Group gap="sm">
        <Title order={1}>{review.project_name}</Title>
        <VerdictBadge verdict={review.verdict} />
        <ApprovalBadge
          decision={review.decision}
          approvals={review.approvals}
          required={review.required_approvals}
        />
      </Group>
      <Text c="dimmed" fz="sm" mt={4}>
        Started by {review.started_by.name}
        {review.owner.id !== review.started_by.id && `, owned by ${review.owner.name}`} · sealed{" "}
        <TimeAgo at={review.sealed_at} /> · score {review.score} of 100
      </Text>
      <Group gap={6} mt={2}>
        <Text ff="monospace" fz="xs" c="dimmed" title={review.branch}>
          {shortBranch(review.branch)}
          {review.baseline_sha && review.head_sha && (
            <>
              {" "}
              · {shortSha(review.baseline_sha)}…{shortSha(review.head_sha)}
            </>
          )}
        </Text>
        <CopyIcon value={review.branch} what="branch" />
      </Group>
    </div>
  );
}

function VerifyReview({ buildId }: { buildId: string }) {
  const verify = useVerifyReview(buildId);
  return (
    <Stack gap={10} align="flex-start" mt={16}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconLink size={14} aria-hidden />}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        Verify
      </Button>
      <div role="status">
        {verify.data && <VerifyResult found={verify.data} />}
        {verify.isError && <Text fz="sm">Could not verify: {messageOf(verify.error)}</Text>}
      </div>
    </Stack>
  );
}
