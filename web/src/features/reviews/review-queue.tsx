import { Box, Card, Flex, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconChevronRight, IconGitPullRequest, IconMessage } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { LinkRow } from "@/components/link-row";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { VerdictBadge } from "@/components/verdict-badge";
import { buildName } from "@/domain/build-name";
import type { ReviewSummary } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type ReviewState, useReviewQueue } from "./api";
import { ApprovalBadge } from "./approval-badge";

const STATES: { value: ReviewState; label: string }[] = [
  { value: "open", label: "Open" },
  { value: "decided", label: "Decided" },
  { value: "all", label: "All" },
];

const EMPTY: Record<ReviewState, { title: string; what: string }> = {
  open: {
    title: "No builds to review",
    what: "Sealed builds of all users appear here until they are reviewed.",
  },
  decided: {
    title: "No reviews yet",
    what: "Reviewed builds appear here.",
  },
  all: { title: "No sealed builds", what: "Builds appear here when they are sealed." },
};

/** Sealed builds of all users. */
export function ReviewQueue() {
  const [state, setState] = useState<ReviewState>("open");
  const query = useReviewQueue(state);
  return (
    <>
      <PageHeader
        title="Reviews"
        about="Sealed builds of all users. Contributors to a build cannot approve it."
      >
        <SegmentedControl aria-label="Filter" data={STATES} value={state} onChange={setState} />
      </PageHeader>
      <QueryView query={query} what="reviews">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) {
            const { title, what } = EMPTY[state];
            return (
              <EmptyState icon={<IconGitPullRequest size={22} />} title={title}>
                {what}
              </EmptyState>
            );
          }
          return (
            <>
              <Card component="ul" p={0} className="plain-list lined" aria-label="Sealed builds">
                {items.map((review) => (
                  <li key={review.build_id}>
                    <QueueItem review={review} />
                  </li>
                ))}
              </Card>
              <ShowMore query={query} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function QueueItem({ review }: { review: ReviewSummary }) {
  return (
    <LinkRow to={paths.review(review.build_id)} gap="0.375rem 1rem" py="sm" px="md" bdrs={0}>
      <Flex component="span" gap={6} wrap="wrap" miw={128}>
        <VerdictBadge verdict={review.verdict} />
        <ApprovalBadge
          decision={review.decision}
          approvals={review.approvals}
          required={review.required_approvals}
        />
        {review.open_comments > 0 && (
          <ToneBadge tone="info" icon={<IconMessage size={14} aria-hidden />}>
            {plural(review.open_comments, "open thread")}
          </ToneBadge>
        )}
      </Flex>
      <Stack component="span" gap={0} flex="1 1 14rem" miw={0}>
        <Text span fw={600} fz="sm">
          {review.project_name} {buildName(review)}
        </Text>
        <Text span ff="monospace" fz="xs" c="dimmed">
          {review.branch}
        </Text>
      </Stack>
      <Text span fz="xs" c="dimmed" flex="1 1 8rem" ta={{ base: "left", sm: "right" }}>
        started by {review.started_by.name}
        <br />
        sealed <TimeAgo at={review.sealed_at} />
      </Text>
      <Box component="span" visibleFrom="sm" lh={0}>
        <IconChevronRight size={16} aria-hidden />
      </Box>
    </LinkRow>
  );
}
