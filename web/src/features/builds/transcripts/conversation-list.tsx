import { Stack, Text } from "@mantine/core";
import { LinkRow } from "@/components/link-row";
import { ScrollPanel } from "@/components/scroll-panel";
import { formatDate } from "@/lib/format";
import { RoleAvatar } from "../activity/role-avatar";
import {
  type Conversation,
  conversationName,
  outcomeLabel,
  taskName,
  usageLabel,
} from "./run-labels";

export function ConversationList({ conversations }: { conversations: Conversation[] }) {
  return (
    <ScrollPanel label="Transcripts">
      <Stack component="ul" className="plain-list" gap={4} maw="60rem" mx="auto">
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <ConversationRow conversation={conversation} />
          </li>
        ))}
      </Stack>
    </ScrollPanel>
  );
}

function ConversationRow({ conversation }: { conversation: Conversation }) {
  const { id, runs } = conversation;
  return (
    <LinkRow to={{ search: `?tab=transcripts&run=${id}` }} wrap="nowrap" align="flex-start">
      <RoleAvatar role={runs[0].role} />
      <Stack gap={2} miw={0}>
        <Text fz="sm" fw={600}>
          {conversationName(conversation)}
        </Text>
        <Text fz="sm">
          {runs.map((run) => `${taskName(run)}: ${outcomeLabel(run).toLowerCase()}`).join(" · ")}
        </Text>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {formatDate(runs[0].started_at)} · {usageLabel(conversation)}
        </Text>
      </Stack>
    </LinkRow>
  );
}
