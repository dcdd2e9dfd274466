import { Stack } from "@mantine/core";
import { IconMoodCheck } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import type { PlacedClarification } from "@/lib/api";
import { useOpenQuestions } from "./api";
import { OpenQuestionCard } from "./open-question-card";

/** Open questions of all builds of the user's projects. */
export function QuestionList() {
  const query = useOpenQuestions();
  return (
    <>
      <PageHeader
        title="Questions"
        about="Open questions of your builds, those that expire first at the top."
      />
      <QueryView query={query} what="questions">
        {(items) => <Cards items={items} />}
      </QueryView>
    </>
  );
}

function Cards({ items }: { items: PlacedClarification[] }) {
  // A card stays after its question is resolved, to show the result.
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
        Questions of your builds appear here and on the build's page.
      </EmptyState>
    );
  }
  return (
    <Stack component="ul" gap={20} maw={832} className="plain-list" aria-label="Open questions">
      {shown.map((asked) => (
        <li key={asked.clarification.id}>
          <OpenQuestionCard
            asked={asked}
            listed={items.some((item) => isSame(item, asked.clarification))}
            onGone={() => setGone((before) => new Set(before).add(asked.clarification.id))}
          />
        </li>
      ))}
    </Stack>
  );
}

const isSame = ({ clarification }: PlacedClarification, { id }: { id: string }) =>
  clarification.id === id;

/** Questions that do not expire are last. */
function byDeadline(
  { clarification: a }: PlacedClarification,
  { clarification: b }: PlacedClarification,
) {
  const [first, second] = [a.expires_at ?? "~", b.expires_at ?? "~"];
  return first < second ? -1 : first > second ? 1 : a.id < b.id ? -1 : 1;
}
