import { Button, Group, Popover, Text } from "@mantine/core";
import { IconChevronUp } from "@tabler/icons-react";
import { useState } from "react";
import { threadsOf } from "@/components/threads/threads";
import { useChangedFiles, useViewedFiles } from "@/domain/changes/change-source";
import { viewedCount } from "@/domain/changes/viewed";
import type { Review } from "@/lib/api";
import { plural } from "@/lib/format";
import { DecisionForm } from "./decision-form";
import classes from "./review-page.module.css";

/** The bar that stays visible: progress of the review, and the decision. */
export function FinishReview({ review }: { review: Review }) {
  const [opened, setOpened] = useState(false);
  const source = { of: "reviews", build: review.build_id, commit: null } as const;
  const files = useChangedFiles(source).data?.files ?? [];
  const { seen } = useViewedFiles(source);
  const open = threadsOf(review.comments).filter(({ first }) => first.resolved_at === null).length;
  return (
    <Group component="section" aria-label="Finish review" className={classes.bar} gap="sm">
      <Text fz="sm" c="dimmed" role="status">
        {viewedCount(files, seen)} of {plural(files.length, "file")} viewed ·{" "}
        {plural(open, "open thread")}
      </Text>
      <Popover
        opened={opened}
        onChange={setOpened}
        position="top-end"
        width="min(28rem, calc(100vw - 2rem))"
        trapFocus
        withRoles
        shadow="md"
        keepMounted
      >
        <Popover.Target>
          <Button
            ml="auto"
            rightSection={<IconChevronUp size={14} aria-hidden />}
            onClick={() => setOpened(!opened)}
          >
            Finish review
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Decision">
          <DecisionForm review={review} onDecided={() => setOpened(false)} />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
