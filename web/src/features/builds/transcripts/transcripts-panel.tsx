import { IconMessages } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { useRuns } from "./api";
import { ConversationList } from "./conversation-list";
import { conversationsOf } from "./run-labels";
import { TranscriptView } from "./transcript-view";

/** The conversations of a build with its models; one of them if the address names a run. */
export default function TranscriptsPanel({ buildId }: { buildId: string }) {
  const [query] = useSearchParams();
  const run = query.get("run");
  const runs = useRuns(buildId);
  return (
    <QueryView query={runs} what="transcripts">
      {(runs) => {
        const conversations = conversationsOf(runs);
        if (conversations.length === 0) {
          return (
            <EmptyState icon={<IconMessages size={22} />} title="No transcripts yet" order={3}>
              What is sent to models, and what they reply, appears here with the first agent.
            </EmptyState>
          );
        }
        const found = conversations.find(({ runs }) => runs.some(({ run_id }) => run_id === run));
        if (run && found) return <TranscriptView buildId={buildId} conversation={found} />;
        return <ConversationList conversations={conversations} />;
      }}
    </QueryView>
  );
}
