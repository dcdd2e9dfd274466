import { Box, Button, Center, Loader, Text } from "@mantine/core";
import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import {
  type ChangeSource,
  pictureOf,
  useFileDiff,
  useFileText,
} from "@/domain/changes/change-source";
import type { DiffFile, DiffLine, FileDiff } from "@/lib/api";
import diffClasses from "../code/diff.module.css";
import { type DiffEntry, type DiffLayout, lineName, linesOf, linesOnce } from "../code/diff-entry";
import { DiffRow } from "../code/diff-row";
import { emptyDiffMessage, isImage } from "../code/empty-diff-message";
import {
  type Expansion,
  expand,
  expandAll,
  type FileRow,
  fileRows,
  type Gap,
} from "../code/expand-context";
import { ImageDiff } from "../code/image-diff";
import { useHighlighting } from "../code/use-highlighting";
import { linesOfText, wholeText } from "../code/whole-text";
import { QueryView } from "../query-view";
import { GapRow } from "./gap-row";
import { LazyRows } from "./lazy-rows";

const ROWS_PER_CHUNK = 30;
const USER_EVENTS = ["wheel", "keydown", "pointerdown", "touchmove"] as const;

export interface LineSlots {
  /** Actions for a line of the diff, shown on hover. */
  action?: (file: DiffFile, line: DiffLine) => ReactNode;
  /** Rendered below a line of a file's diff. */
  beneath?: (diff: FileDiff, line: DiffLine) => ReactNode;
}

interface FileLinesProps extends LineSlots {
  source: ChangeSource;
  file: DiffFile;
  layout: DiffLayout;
  ignoreWhitespace: boolean;
  marked: string | null;
  onLine?: (line: string) => void;
}

/** The changed lines of a file, with unchanged ones on request. */
export function FileLines(props: FileLinesProps) {
  const { source, file, ignoreWhitespace } = props;
  const query = useFileDiff(source, file, ignoreWhitespace, true);
  return (
    <QueryView
      query={query}
      what="diff"
      loading={
        <Center h={estimatedHeight(file)}>
          <Loader size="sm" aria-label="Loading diff" />
        </Center>
      }
    >
      {(diff) => <Lines {...props} diff={diff} />}
    </QueryView>
  );
}

function Lines(props: FileLinesProps & { diff: FileDiff }) {
  const { source, file, diff, layout, marked, onLine, action, beneath } = props;
  const [expansion, setExpansion] = useState<Expansion>(new Map());
  const body = useRef<HTMLDivElement>(null);
  const hasContext =
    diff.hunks.length > 0 && (diff.status === "modified" || diff.status === "renamed");
  const text = useFileText(source, file, hasContext).data?.text;
  const lines = useMemo(() => (typeof text === "string" ? linesOfText(text) : null), [text]);
  const whole = useMemo(() => wholeText(diff, lines), [diff, lines]);
  const tokensOf = useHighlighting(diff, whole);
  const rows = useMemo(
    () => fileRows(diff, layout, lines, expansion),
    [diff, layout, lines, expansion],
  );
  const chunks = useMemo(() => chunksOf(rows), [rows]);

  // Keeps the line of the address in view while the list around it settles, until the user does something.
  const target = marked === null ? null : `${layout}:${marked}`;
  const released = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row of the line is in other rows
  useEffect(() => {
    const row = body.current?.querySelector("[data-marked]");
    if (!row || target === null || released.current === target) return;
    const show = () => row.scrollIntoView({ block: "center" });
    const observer = new IntersectionObserver((entries) => {
      // Several changes may be reported at once, the newest last.
      if (entries.at(-1)?.isIntersecting !== false || !row.isConnected) return;
      show();
      // Reports again, because the list may not be high enough to scroll there yet.
      observer.unobserve(row);
      observer.observe(row);
    });
    const release = () => {
      released.current = target;
      observer.disconnect();
    };
    show();
    observer.observe(row);
    // When capturing, so that the key that switched the layout does not count.
    for (const event of USER_EVENTS) window.addEventListener(event, release, true);
    return () => {
      observer.disconnect();
      for (const event of USER_EVENTS) window.removeEventListener(event, release, true);
    };
  }, [target, rows]);

  if (diff.binary && isImage(diff.path)) {
    return <ImageDiff diff={diff} pictureOf={(side, path) => pictureOf(source, side, path)} />;
  }
  if (diff.hunks.length === 0) {
    const [title, why] = props.ignoreWhitespace
      ? ["No lines changed", "Only whitespace changed, which is hidden."]
      : emptyDiffMessage(diff);
    return (
      <Box p="md">
        <Text component="h4" fz="sm" fw={600} m={0}>
          {title}
        </Text>
        <Text fz="sm" c="dimmed">
          {why}
        </Text>
      </Box>
    );
  }

  function onClick({ target }: MouseEvent) {
    const name = (target as Element).closest<HTMLElement>("[data-line]")?.dataset.line;
    if (!name) return;
    released.current = `${layout}:${name}`;
    onLine?.(name);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key y copies links without a pointer
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key y copies links without a pointer
    <div ref={body} className={onLine && diffClasses.linked} onClick={onLine && onClick}>
      {chunks.map((chunk) => (
        <LazyRows
          key={chunk.key}
          count={chunk.rows.length}
          always={chunks.length === 1 || chunk.rows.some((row) => hasLine(row, marked))}
        >
          {() =>
            chunk.rows.map((row, index) => (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of a chunk never move
                key={index}
                row={row}
                marked={marked}
                tokensOf={tokensOf}
                canExpand={lines !== null}
                onExpand={(gap, direction) =>
                  setExpansion((before) => expand(before, gap, direction))
                }
                action={action && ((line) => action(file, line))}
                beneath={beneath && ((line) => beneath(diff, line))}
              />
            ))
          }
        </LazyRows>
      ))}
      {lines && rows.some((row) => row.kind === "gap") && (
        <Button
          size="compact-xs"
          variant="subtle"
          m={6}
          onClick={() => setExpansion(expandAll(diff))}
        >
          Show whole file
        </Button>
      )}
      {diff.truncated && (
        <Text fz="xs" c="dimmed" p="sm">
          This diff is too long to show in full. Clone the branch to see the rest.
        </Text>
      )}
    </div>
  );
}

interface RowProps {
  row: FileRow;
  marked: string | null;
  tokensOf: ReturnType<typeof useHighlighting>;
  canExpand: boolean;
  onExpand: (gap: Gap, direction: "top" | "bottom" | "all") => void;
  action?: (line: DiffLine) => ReactNode;
  beneath?: (line: DiffLine) => ReactNode;
}

function Row({ row, marked, tokensOf, canExpand, onExpand, action, beneath }: RowProps) {
  if (row.kind === "gap") return <GapRow gap={row} canExpand={canExpand} onExpand={onExpand} />;
  // Lines outside of the diff take no new comments, but can have threads of wider diffs.
  const entry = row.kind === "context" ? row.entry : row;
  return (
    <div className={diffClasses.entry} data-change={row.kind === "hunk" || undefined}>
      <DiffRow entry={entry} marked={marked} tokensOf={tokensOf} />
      {action && row.kind !== "context" && (
        <span className={diffClasses.action}>{linesOnce(entry).map(action)}</span>
      )}
      {beneath && linesOnce(entry).map(beneath)}
    </div>
  );
}

interface Chunk {
  key: string;
  rows: FileRow[];
}

/** Chunks are rendered when they are near the visible part. */
function chunksOf(rows: FileRow[]): Chunk[] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_CHUNK) }, (_, index) => ({
    key: `${index}`,
    rows: rows.slice(index * ROWS_PER_CHUNK, (index + 1) * ROWS_PER_CHUNK),
  }));
}

const entryOf = (row: FileRow): DiffEntry | null =>
  row.kind === "gap" ? null : row.kind === "context" ? row.entry : row;

function hasLine(row: FileRow, name: string | null): boolean {
  const entry = name === null ? null : entryOf(row);
  return entry !== null && linesOf(entry).some((line) => lineName(line) === name);
}

function estimatedHeight({ insertions, deletions }: DiffFile): number {
  return Math.min(Math.max(120, (insertions + deletions + 8) * 20), 1_200);
}
