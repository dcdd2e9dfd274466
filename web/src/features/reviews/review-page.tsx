import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import {
  IconLayoutSidebarRight,
  IconLayoutSidebarRightFilled,
  IconLink,
} from "@tabler/icons-react";
import { Link } from "react-router";
import { CopyIcon } from "@/components/copy-icon";
import { Disclosure } from "@/components/disclosure";
import { ClauseList } from "@/components/evidence/clause-list";
import { IconTool } from "@/components/icon-tool";
import { BackLink } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { type CommentDrafts, useCommentDrafts } from "@/components/threads/comment-drafts";
import { TimeAgo } from "@/components/time-ago";
import { VerdictBadge } from "@/components/verdict-badge";
import { VerifyResult } from "@/components/verify-result";
import { buildName } from "@/domain/build-name";
import { usePageTitle } from "@/domain/use-page-title";
import { VERDICT } from "@/domain/verdict";
import type { Review } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { plural, shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useReview, useVerifyReview } from "./api";
import { ApprovalBadge } from "./approval-badge";
import { DecisionList } from "./decision-list";
import { EarlierThreads } from "./earlier-threads";
import { FinishReview } from "./finish-review";
import { FollowUp } from "./follow-up";
import { GateReruns } from "./gate-reruns";
import { ReviewChanges } from "./review-changes";
import classes from "./review-page.module.css";
import { ReviewRequirements } from "./review-requirements";

export function ReviewPage({ buildId }: { buildId: string }) {
  const query = useReview(buildId);
  usePageTitle(query.data && buildName(query.data), query.data?.project_name, "Review");
  return (
    <div className={classes.page}>
      <QueryView query={query} what="review">
        {(review) => <LoadedReview review={review} />}
      </QueryView>
    </div>
  );
}

function LoadedReview({ review }: { review: Review }) {
  const drafts = useCommentDrafts(review.build_id);
  const wide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const [asideShown, setAsideShown] = useLocalStorage<boolean>({
    key: "forgeguard-review-aside",
    defaultValue: wide,
    getInitialValueInEffect: false,
  });
  return (
    <>
      <Head review={review} asideShown={asideShown} onAside={() => setAsideShown(!asideShown)} />
      <div className={classes.body} data-aside={asideShown || undefined}>
        <ReviewChanges buildId={review.build_id} comments={review.comments} drafts={drafts} />
        {asideShown && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the section is scrolled with the keyboard
          <aside id="review-aside" aria-label="Evidence" className={classes.aside} tabIndex={0}>
            <Aside review={review} drafts={drafts} />
          </aside>
        )}
      </div>
      <FinishReview review={review} />
    </>
  );
}

function Aside({ review, drafts }: { review: Review; drafts: CommentDrafts }) {
  const { build_id, decisions, follows } = review;
  return (
    <Stack gap="lg">
      {decisions.length > 0 && (
        <section aria-label="Decisions">
          <Disclosure summary="Decisions" heading openByDefault>
            <Stack gap="md" mt="xs">
              <DecisionList decisions={decisions} />
              <FollowUp buildId={build_id} review={review} owner={review.owner.id} />
            </Stack>
          </Disclosure>
        </section>
      )}
      {follows && (
        <section aria-label="Previous review">
          <Disclosure summary="Previous review" heading openByDefault>
            <EarlierThreads buildId={build_id} earlier={follows} drafts={drafts} />
          </Disclosure>
        </section>
      )}
      <section aria-label="Evidence of the seal">
        <Disclosure summary="Evidence" heading openByDefault>
          <Text fz="sm" c="dimmed" my="xs">
            {VERDICT[review.verdict].meaning}
          </Text>
          <ClauseList clauses={review.seal.evidence.clauses} />
          <VerifyReview buildId={build_id} />
        </Disclosure>
      </section>
      <section aria-label="Gates after the seal">
        <Disclosure summary="Gates after the seal" heading>
          <GateReruns buildId={build_id} />
        </Disclosure>
      </section>
      <section aria-label="Requirements">
        <Disclosure summary="Requirements" heading>
          <ReviewRequirements buildId={build_id} />
        </Disclosure>
      </section>
    </Stack>
  );
}

interface HeadProps {
  review: Review;
  asideShown: boolean;
  onAside: () => void;
}

function Head({ review, asideShown, onAside }: HeadProps) {
  const AsideIcon = asideShown ? IconLayoutSidebarRightFilled : IconLayoutSidebarRight;
  return (
    <header className={classes.head}>
      <BackLink to={paths.reviews}>Reviews</BackLink>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Group gap="0.5rem 0.75rem" flex={1} miw={0}>
          <Title order={1} fz="h3">
            {review.project_name} {buildName(review)}
          </Title>
          <VerdictBadge verdict={review.verdict} />
          <ApprovalBadge
            decision={review.decision}
            approvals={review.approvals}
            required={review.required_approvals}
          />
        </Group>
        <IconTool
          label={asideShown ? "Hide evidence" : "Show evidence"}
          opens={{ id: "review-aside", opened: asideShown }}
          onClick={onAside}
        >
          <AsideIcon size={16} aria-hidden />
        </IconTool>
      </Group>
      <Group gap={6} mt={2}>
        <Text c="dimmed" fz="xs">
          Started by {review.started_by.name}
          {review.owner.id !== review.started_by.id && `, owned by ${review.owner.name}`} · sealed{" "}
          <TimeAgo at={review.sealed_at} /> · score {review.score} of 100 ·{" "}
          {plural(review.commit_count, "commit")} ·{" "}
          <Text span ff="monospace" fz="xs" style={{ overflowWrap: "anywhere" }}>
            {review.branch}
            {review.baseline_sha && review.head_sha && (
              <>
                {" "}
                {shortSha(review.baseline_sha)}…{shortSha(review.head_sha)}
              </>
            )}
          </Text>
        </Text>
        <Group gap={6} wrap="nowrap">
          <CopyIcon value={review.branch} what="branch" />
          {review.head_sha && (
            <Anchor
              component={Link}
              to={paths.reviewFile(review.build_id, review.head_sha)}
              fz="xs"
            >
              Browse files
            </Anchor>
          )}
        </Group>
      </Group>
      {review.required_approvals > 1 && (
        <Text fz="sm" mt={4}>
          {review.approvals} of {plural(review.required_approvals, "approval")}. The build is
          approved when {review.required_approvals} administrators have approved it.
        </Text>
      )}
    </header>
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
