import { Group, SegmentedControl, Text, Title } from "@mantine/core";
import { IconChevronRight, IconGitPullRequest, IconMessage } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { VerdictBadge } from "@/components/verdict-badge";
import type { ReviewSummary } from "@/lib/api";
import { plural, shortBranch } from "@/lib/format";
import { paths } from "@/lib/paths";
import { type ReviewState, useReviewQueue } from "./api";
import { DecisionBadge } from "./decision-badge";
import classes from "./reviews.module.css";

const STATES = [
  { value: "open", label: "Open" },
  { value: "decided", label: "Decided" },
  { value: "all", label: "All" },
];

const EMPTY: Record<ReviewState, { title: string; what: string }> = {
  open: {
    title: "Nothing waits for a review",
    what: "Every sealed build of every user comes here until somebody decides about it.",
  },
  decided: {
    title: "Nothing has been decided yet",
    what: "Builds that somebody approved or requested changes to are kept here.",
  },
  all: { title: "No build is sealed yet", what: "A build comes here when it is sealed." },
};

/** The sealed builds of all users. */
export function ReviewQueue() {
  const [state, setState] = useState<ReviewState>("open");
  const query = useReviewQueue(state);
  return (
    <>
      <Group justify="space-between" mb="lg">
        <div>
          <Title order={1}>Reviews</Title>
          <Text c="dimmed" fz="sm" mt={4}>
            Sealed builds of everybody. Whoever started a build cannot approve it.
          </Text>
        </div>
        <SegmentedControl
          aria-label="Which builds"
          data={STATES}
          value={state}
          onChange={(value) => setState(value as ReviewState)}
        />
      </Group>
      <QueryView query={query} what="the reviews">
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
              <ul className={classes.queue} aria-label="Sealed builds">
                {items.map((review) => (
                  <li key={review.build_id}>
                    <QueueItem review={review} />
                  </li>
                ))}
              </ul>
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
    <Link to={paths.review(review.build_id)} className={classes.item}>
      <span className={classes.badges}>
        <VerdictBadge verdict={review.verdict} />
        {review.decision && <DecisionBadge decision={review.decision} />}
        {review.open_comments > 0 && (
          <ToneBadge tone="info" icon={<IconMessage size={14} aria-hidden />}>
            {plural(review.open_comments, "open thread")}
          </ToneBadge>
        )}
      </span>
      <span className={classes.what}>
        <Text span fw={600} fz="sm">
          {review.project_name}
        </Text>
        <Text span ff="monospace" fz="xs" c="dimmed">
          {shortBranch(review.branch)}
        </Text>
      </span>
      <Text span fz="xs" c="dimmed" className={classes.who}>
        started by {review.started_by.name}
        <br />
        sealed <TimeAgo at={review.sealed_at} />
      </Text>
      <IconChevronRight size={16} aria-hidden />
    </Link>
  );
}
