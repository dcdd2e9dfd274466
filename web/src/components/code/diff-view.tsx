import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconFileDiff } from "@tabler/icons-react";
import { type MouseEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import type { DiffLine, FileDiff } from "@/lib/api";
import { ChangeCounts } from "../change-counts";
import { CopyIcon } from "../copy-icon";
import { EmptyState } from "../empty-state";
import { IconTool } from "../icon-tool";
import classes from "./diff.module.css";
import {
  type DiffEntry,
  type DiffLayout,
  diffEntries,
  entryOf,
  lineName,
  linesOf,
  linesOnce,
} from "./diff-entry";
import { DiffRow } from "./diff-row";
import { emptyDiffMessage, isImage } from "./empty-diff-message";
import { ImageDiff, type PictureOf } from "./image-diff";
import { useHighlighting } from "./use-highlighting";

const LAYOUTS: { value: DiffLayout; label: string }[] = [
  { value: "inline", label: "Inline" },
  { value: "split", label: "Side by side" },
];

interface DiffViewProps {
  diff: FileDiff;
  /** The line in the page's address, named by `lineName`. */
  marked?: string | null;
  /** Called with the line whose link is to be copied. */
  onLine?: (name: string) => void;
  /** Actions for a line, shown on hover. */
  action?: (line: DiffLine) => ReactNode;
  /** The URL of an image on one side; without it, images are only named. */
  pictureOf?: PictureOf;
  /** Rendered below a line. */
  beneath?: (line: DiffLine) => ReactNode;
}

export function DiffView(props: DiffViewProps) {
  const { diff, marked = null, onLine, action, pictureOf, beneath } = props;
  const list = useRef<VirtuosoHandle>(null);
  const top = useRef(0);
  // A line that the user clicked is visible already; a line from the address is scrolled to.
  const pointedAt = useRef<string | null>(null);
  const [landing, setLanding] = useState(marked);
  if (marked !== landing && marked !== pointedAt.current) setLanding(marked);
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

  function onClick({ target }: MouseEvent) {
    const name = (target as Element).closest<HTMLElement>("[data-line]")?.dataset.line;
    if (name) link(name);
  }

  function link(name: string) {
    pointedAt.current = name;
    onLine?.(name);
  }

  function linkTop() {
    const [line] = entries.slice(top.current).flatMap(linesOf);
    if (line) link(lineName(line));
  }

  useActions([
    { name: "nextChange", run: () => jump(1) },
    { name: "previousChange", run: () => jump(-1) },
    onLine && entries.length > 0 && { name: "linkLine", run: linkTop },
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
      {diff.binary && pictureOf && isImage(diff.path) ? (
        <ImageDiff diff={diff} pictureOf={pictureOf} />
      ) : entries.length === 0 ? (
        <EmptyState order={3} icon={<IconFileDiff size={22} />} title={title}>
          {text}
        </EmptyState>
      ) : (
        <Virtuoso<DiffEntry>
          key={`${layout}:${landing}`}
          ref={list}
          data={entries}
          initialTopMostItemIndex={
            landing ? { index: Math.max(0, entryOf(entries, landing)), align: "center" } : 0
          }
          rangeChanged={({ startIndex }) => {
            top.current = startIndex;
          }}
          itemContent={(_, entry) => (
            <div className={classes.entry}>
              <DiffRow entry={entry} marked={marked} tokensOf={tokensOf} />
              {action && <span className={classes.action}>{linesOnce(entry).map(action)}</span>}
              {beneath && linesOnce(entry).map(beneath)}
            </div>
          )}
          onClick={onLine && onClick}
          className={onLine && classes.linked}
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
