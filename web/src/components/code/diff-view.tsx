import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconFileDiff } from "@tabler/icons-react";
import { useMemo, useRef } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import type { FileDiff } from "@/lib/api";
import { ChangeCounts } from "../change-counts";
import { CopyIcon } from "../copy-icon";
import { EmptyState } from "../empty-state";
import { IconTool } from "../icon-tool";
import classes from "./diff.module.css";
import { type DiffEntry, type DiffLayout, diffEntries } from "./diff-entry";
import { DiffRow } from "./diff-row";
import { emptyDiffMessage } from "./empty-diff-message";
import { useHighlighting } from "./use-highlighting";

const LAYOUTS: { value: DiffLayout; label: string }[] = [
  { value: "inline", label: "Inline" },
  { value: "split", label: "Side by side" },
];

/** A diff on its own. */
export function DiffView({ diff }: { diff: FileDiff }) {
  const list = useRef<VirtuosoHandle>(null);
  const top = useRef(0);
  const roomy = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useLocalStorage<DiffLayout>({
    key: "forgeguard-diff-layout",
    defaultValue: "inline",
    getInitialValueInEffect: false,
  });
  const layout = roomy ? chosen : "inline";
  const entries = useMemo(() => diffEntries(diff, layout), [diff, layout]);
  const tokensOf = useHighlighting(diff);
  const counts = useMemo(() => countsOf(diff), [diff]);
  const [title, text] = emptyDiffMessage(diff);

  function jump(step: 1 | -1) {
    const hunks = entries.flatMap((entry, index) => (entry.kind === "hunk" ? [index] : []));
    const next =
      step === 1
        ? hunks.find((index) => index > top.current)
        : hunks.findLast((index) => index < top.current);
    if (next !== undefined) list.current?.scrollToIndex({ index: next, align: "start" });
  }

  useActions([
    { name: "nextChange", run: () => jump(1) },
    { name: "previousChange", run: () => jump(-1) },
    roomy && {
      name: "sideBySide",
      run: () => setChosen(layout === "split" ? "inline" : "split"),
    },
  ]);

  return (
    <Stack gap={0} h="100%" miw={0} mih={0}>
      <Group
        gap="xs"
        wrap="nowrap"
        flex="none"
        mih={40}
        px="sm"
        py={4}
        style={{ borderBottom: "1px solid var(--line)" }}
      >
        <Text component="h3" ff="monospace" fz="xs" fw={600} truncate m={0}>
          {diff.old_path && diff.old_path !== diff.path
            ? `${diff.old_path} → ${diff.path}`
            : diff.path}
        </Text>
        <CopyIcon value={diff.path} what="path" />
        <ChangeCounts {...counts} />
        <Group gap={4} ml="auto" wrap="nowrap">
          {roomy && entries.length > 0 && (
            <SegmentedControl
              aria-label="Diff layout"
              size="xs"
              data={LAYOUTS}
              value={layout}
              onChange={(value) => setChosen(value)}
            />
          )}
          <IconTool label="Previous change (p)" onClick={() => jump(-1)}>
            <IconArrowUp size={14} aria-hidden />
          </IconTool>
          <IconTool label="Next change (n)" onClick={() => jump(1)}>
            <IconArrowDown size={14} aria-hidden />
          </IconTool>
        </Group>
      </Group>
      {entries.length === 0 ? (
        <EmptyState order={3} icon={<IconFileDiff size={22} />} title={title}>
          {text}
        </EmptyState>
      ) : (
        <Virtuoso<DiffEntry>
          key={layout}
          ref={list}
          data={entries}
          rangeChanged={({ startIndex }) => {
            top.current = startIndex;
          }}
          itemContent={(_, entry) => (
            <div className={classes.entry}>
              <DiffRow entry={entry} marked={null} tokensOf={tokensOf} />
            </div>
          )}
          tabIndex={0}
          role="region"
          aria-label={`Changes in ${diff.path}`}
          style={{ flex: 1 }}
          components={{ Footer: diff.truncated ? Truncated : undefined }}
        />
      )}
    </Stack>
  );
}

function countsOf({ hunks }: FileDiff) {
  const counts = { insertions: 0, deletions: 0 };
  for (const { lines } of hunks)
    for (const { kind } of lines) {
      if (kind === "insert") counts.insertions++;
      if (kind === "delete") counts.deletions++;
    }
  return counts;
}

function Truncated() {
  return (
    <Text fz="xs" c="dimmed" p="sm">
      This diff is too long to show in full. Clone the branch to see the rest.
    </Text>
  );
}
