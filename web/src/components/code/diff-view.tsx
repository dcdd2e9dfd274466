import { ActionIcon, Group, Text, Tooltip } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconFileDiff } from "@tabler/icons-react";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import type { FileDiff } from "@/lib/api";
import { CopyIcon } from "../copy-icon";
import { EmptyState } from "../empty-state";
import classes from "./diff.module.css";
import { type DiffEntry, diffEntries } from "./diff-entry";
import { DiffRow } from "./diff-row";
import { useColours } from "./use-colours";

export function DiffView({ diff }: { diff: FileDiff }) {
  const list = useRef<VirtuosoHandle>(null);
  const top = useRef(0);
  const entries = useMemo(() => diffEntries(diff), [diff]);
  const tokensOf = useColours(diff);

  function jump(step: 1 | -1) {
    const hunks = entries.flatMap((entry, index) => (entry.kind === "hunk" ? [index] : []));
    const next =
      step === 1
        ? hunks.find((index) => index > top.current)
        : hunks.findLast((index) => index < top.current);
    if (next !== undefined) list.current?.scrollToIndex({ index: next, align: "start" });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "n" || event.key === "p") {
      event.preventDefault();
      jump(event.key === "n" ? 1 : -1);
    }
  }

  return (
    <div className={classes.diff}>
      <Group className={classes.diffHead} gap="xs" wrap="nowrap">
        <Text component="h3" ff="monospace" fz="xs" fw={600} truncate m={0}>
          {diff.old_path && diff.old_path !== diff.path
            ? `${diff.old_path} → ${diff.path}`
            : diff.path}
        </Text>
        <CopyIcon value={diff.path} what="path" />
        <Group gap={2} ml="auto" wrap="nowrap">
          <Tooltip label="Previous change (p)">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label="Previous change"
              onClick={() => jump(-1)}
            >
              <IconArrowUp size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Next change (n)">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label="Next change"
              onClick={() => jump(1)}
            >
              <IconArrowDown size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {entries.length === 0 ? (
        <EmptyState
          order={3}
          icon={<IconFileDiff size={22} />}
          title={diff.binary ? "A binary file" : "No lines to show"}
        >
          {diff.binary
            ? "Its content cannot be shown as text."
            : "Only its name or its mode changed, or it is empty."}
        </EmptyState>
      ) : (
        <Virtuoso<DiffEntry>
          ref={list}
          data={entries}
          rangeChanged={({ startIndex }) => {
            top.current = startIndex;
          }}
          itemContent={(_, entry) => <DiffRow entry={entry} tokensOf={tokensOf} />}
          onKeyDown={onKeyDown}
          tabIndex={0}
          role="region"
          aria-label={`Changes of ${diff.path}`}
          style={{ flex: 1 }}
          components={{ Footer: diff.truncated ? Truncated : undefined }}
        />
      )}
    </div>
  );
}

function Truncated() {
  return (
    <Text fz="xs" c="dimmed" p="sm">
      This diff is very long. Clone the branch to see the rest.
    </Text>
  );
}
