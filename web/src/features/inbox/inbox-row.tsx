import { ActionIcon, Box, Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import {
  IconCircleCheck,
  IconGitPullRequest,
  IconHandStop,
  IconListCheck,
  IconMail,
  IconMailOpened,
  IconMessageQuestion,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { LinkRow } from "@/components/link-row";
import { TimeAgo } from "@/components/time-ago";
import { inboxBuild, inboxLabel, inboxPath, isDone } from "@/domain/inbox-item";
import type { InboxItem } from "@/lib/api";
import { type Tone, toneText } from "@/lib/tone";
import classes from "./inbox.module.css";

const ICONS: Record<InboxItem["kind"], ComponentType<{ size: number }>> = {
  question: IconMessageQuestion,
  plan: IconListCheck,
  blocked: IconHandStop,
  review: IconGitPullRequest,
};

const toneOf = (item: InboxItem): Tone =>
  isDone(item) ? "good" : item.kind === "blocked" ? "bad" : "waiting";

interface InboxRowProps {
  item: InboxItem;
  onMark: (read: boolean) => void;
}

export function InboxRow({ item, onMark }: InboxRowProps) {
  const isRead = item.read_at !== null;
  const Icon = isDone(item) ? IconCircleCheck : ICONS[item.kind];
  const { text } = item;
  const mark = isRead ? "Mark as unread" : "Mark as read";
  return (
    <Box className={classes.item} data-unread={!isRead || undefined}>
      <LinkRow
        to={inboxPath(item)}
        onClick={() => !isRead && onMark(true)}
        wrap="nowrap"
        align="flex-start"
        gap="sm"
        py="sm"
        px="md"
        pr={48}
        bdrs={0}
      >
        <Box component="span" c={toneText(toneOf(item))} pt={2} lh={0} aria-hidden>
          <Icon size={18} />
        </Box>
        <Box component="span" flex={1} miw={0}>
          <Group component="span" gap="0 0.75rem" justify="space-between">
            <Text span fz="sm" fw={isRead ? 400 : 600} miw={0}>
              {!isRead && <VisuallyHidden>Unread: </VisuallyHidden>}
              {inboxLabel(item)}
            </Text>
            <Text span fz="xs" c="dimmed">
              <TimeAgo at={item.at} />
            </Text>
          </Group>
          <Text span display="block" fz="sm" truncate>
            {inboxBuild(item)}
          </Text>
          {text && (
            <Text span fz="sm" c="dimmed" lineClamp={2} mt={2}>
              {text}
            </Text>
          )}
        </Box>
      </LinkRow>
      <Tooltip label={mark}>
        <ActionIcon
          className={classes.mark}
          variant="subtle"
          color="gray"
          aria-label={`${mark}: ${inboxLabel(item)}, ${inboxBuild(item)}`}
          onClick={() => onMark(!isRead)}
        >
          {isRead ? <IconMail size={16} aria-hidden /> : <IconMailOpened size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    </Box>
  );
}
