import { Group, Text, Tooltip } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { CopyIcon } from "@/components/copy-icon";
import { shortBranch } from "@/lib/format";

export function BranchBadge({ branch, status }: { branch: string; status: string | null }) {
  return (
    <Group
      component="span"
      gap={6}
      wrap="nowrap"
      miw={0}
      h={28}
      pl="xs"
      pr={4}
      c="dimmed"
      bd="1px solid var(--line)"
      bdrs="md"
    >
      <IconGitBranch size={14} aria-hidden />
      <Tooltip label={branch}>
        <Text component="code" truncate c="var(--mantine-color-text)" ff="monospace" fz="xs">
          {shortBranch(branch)}
        </Text>
      </Tooltip>
      {status && (
        <Text span flex="none" fz="xs" visibleFrom="xs">
          {status}
        </Text>
      )}
      <CopyIcon value={branch} what="branch name" />
    </Group>
  );
}
