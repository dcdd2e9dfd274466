import { Flex, Group, List, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { Verification } from "@/lib/api";
import { formatCount, plural } from "@/lib/format";
import { toneText } from "@/lib/tone";
import { CopyIcon } from "./copy-icon";

/** Problems listed here; the command line prints all. */
const MAX_LISTED = 20;

export function VerifyResult({ found }: { found: Verification }) {
  const { problems, notes } = found;
  if (found.ok) {
    return (
      <Flex gap="xs">
        <IconCircleCheck size={16} color={toneText("good")} aria-hidden />
        <div>
          <Text fz="sm">The chain of {plural(found.events, "event")} is intact.</Text>
          <Group gap={6} wrap="nowrap" c="dimmed" fz="xs">
            <Text span inherit flex="none">
              Head
            </Text>{" "}
            <code>{found.head_hash}</code>
            <CopyIcon value={found.head_hash} what="head hash" />
          </Group>
          <Notes notes={notes} />
        </div>
      </Flex>
    );
  }
  return (
    <Flex gap="xs">
      <IconCircleX size={16} color={toneText("bad")} aria-hidden />
      <div>
        <Text fz="sm" fw={600} c={toneText("bad")}>
          {plural(problems.length, "problem")} found
        </Text>
        <List fz="sm">
          {problems.slice(0, MAX_LISTED).map(({ seq, what }) => (
            <List.Item key={`${seq} ${what}`}>
              {seq != null && `Event ${formatCount(seq)}: `}
              {what}
            </List.Item>
          ))}
        </List>
        {problems.length > MAX_LISTED && (
          <Text fz="xs" c="dimmed">
            And {formatCount(problems.length - MAX_LISTED)} more.
          </Text>
        )}
        <Notes notes={notes} />
      </div>
    </Flex>
  );
}

function Notes({ notes }: { notes: string[] }) {
  return notes.map((note) => (
    <Text key={note} fz="xs" c="dimmed">
      {note}
    </Text>
  ));
}
