import { Collapse, Group, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown } from "@tabler/icons-react";
import type { BuildReviews as Said } from "@/lib/api";
import { plural } from "@/lib/format";
import { useAnswer, useBuildReviews } from "./api";
import { DecisionBadge } from "./decision-badge";
import { DecisionList } from "./decision-list";
import { FollowUp } from "./follow-up";
import classes from "./reviews.module.css";
import { ThreadView } from "./thread-view";
import { threadsOf } from "./threads";

/** What administrators decided and said about one's own build; nothing where there is nothing. */
export function BuildReviews({ buildId }: { buildId: string }) {
  const said = useBuildReviews(buildId).data;
  if (!said || (said.decisions.length === 0 && said.comments.length === 0)) return null;
  return <Shown buildId={buildId} said={said} />;
}

function Shown({ buildId, said }: { buildId: string; said: Said }) {
  const [opened, { toggle }] = useDisclosure(false);
  const answer = useAnswer(buildId);
  const threads = threadsOf(said.comments);
  const open = threads.filter(({ first }) => first.resolved_at === null).length;
  const [newest] = said.decisions;
  return (
    <section className={classes.own} aria-labelledby="review-title">
      <Group gap="sm">
        <Title order={3} id="review-title" className="visually-hidden">
          Review
        </Title>
        {newest && <DecisionBadge decision={newest.decision} />}
        <Text fz="sm" className={classes.words}>
          {newest ? wordsOf(newest) : "An administrator looks at this build."}
          {open > 0 && ` ${plural(open, "thread is", "threads are")} open.`}
        </Text>
        <UnstyledButton
          className={classes.settled}
          aria-expanded={opened}
          aria-controls="review-detail"
          onClick={toggle}
        >
          What was said
          <IconChevronDown size={16} data-opened={opened || undefined} aria-hidden />
        </UnstyledButton>
      </Group>
      <FollowUp buildId={buildId} said={said} owner="me" />
      <Collapse expanded={opened} id="review-detail">
        <Stack gap="sm" mt="sm">
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
      </Collapse>
    </section>
  );
}

function wordsOf({ decision, reviewer }: Said["decisions"][number]): string {
  return decision === "approved"
    ? `${reviewer.name} looked at it and approved it.`
    : `${reviewer.name} asks for changes before this is used.`;
}
