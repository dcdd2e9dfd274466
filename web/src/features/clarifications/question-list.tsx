import { Text, Title } from "@mantine/core";
import { IconMoodCheck } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import type { PlacedClarification } from "@/lib/api";
import { useOpenQuestions } from "./api";
import { AskedCard } from "./asked-card";
import classes from "./questions.module.css";

/** What all builds of the person's projects ask, on one page. */
export function QuestionList() {
  const query = useOpenQuestions();
  return (
    <>
      <Title order={1}>Questions</Title>
      <Text c="dimmed" fz="sm" mt={4} mb="lg">
        What your builds ask. What has the least time left comes first.
      </Text>
      <QueryView query={query} what="the questions">
        {(items) => <Cards items={items} />}
      </QueryView>
    </>
  );
}

function Cards({ items }: { items: PlacedClarification[] }) {
  // A card stays after its question is settled, until it has said by whom.
  const [known, setKnown] = useState(items);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const news = items.filter(
    ({ clarification }) => !known.some((old) => isSame(old, clarification)),
  );
  if (news.length > 0) setKnown([...known, ...news].sort(byDeadline));
  const shown = known.filter(({ clarification: { id } }) => !gone.has(id));
  if (shown.length === 0) {
    return (
      <EmptyState icon={<IconMoodCheck size={22} />} title="No open questions">
        When a build needs to know something, it asks here, on its own page, and with a badge on
        every page.
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list} aria-label="Open questions">
      {shown.map((asked) => (
        <li key={asked.clarification.id}>
          <AskedCard
            asked={asked}
            listed={items.some((item) => isSame(item, asked.clarification))}
            onGone={() => setGone((before) => new Set(before).add(asked.clarification.id))}
          />
        </li>
      ))}
    </ul>
  );
}

const isSame = ({ clarification }: PlacedClarification, { id }: { id: string }) =>
  clarification.id === id;

/** What never expires comes last. */
function byDeadline(
  { clarification: a }: PlacedClarification,
  { clarification: b }: PlacedClarification,
) {
  const [first, second] = [a.expires_at ?? "~", b.expires_at ?? "~"];
  return first < second ? -1 : first > second ? 1 : a.id < b.id ? -1 : 1;
}
