import { Box, Group, Switch, Text, TextInput } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconFileDiff, IconMessage, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import { type ChangeSource, useViewedFiles } from "@/domain/changes/change-source";
import { viewedCount } from "@/domain/changes/viewed";
import type { DiffFile, DiffSummary } from "@/lib/api";
import { plural } from "@/lib/format";
import { ChangeCounts } from "../change-counts";
import { describeChange } from "../code/changed-file-row";
import type { DiffLayout } from "../code/diff-entry";
import { DiffFrame } from "../code/diff-frame";
import { FileList } from "../code/file-list";
import { treeRows } from "../code/file-tree";
import { isGenerated } from "../code/generated-file";
import { TruncatedNote } from "../code/truncated-note";
import { EmptyState } from "../empty-state";
import classes from "./changes.module.css";
import { ChangesToolbar } from "./changes-toolbar";
import { FileCard } from "./file-card";
import type { LineSlots } from "./file-lines";
import { HEADER_PX, nextChange } from "./next-change";

/** Files with more changed lines are collapsed at first. */
const MAX_OPEN_LINE_COUNT = 1_000;
const ESTIMATED_CARD_PX = 400;

interface ChangesViewProps extends LineSlots {
  source: ChangeSource;
  changes: DiffSummary;
  /** The file and line in the page's address. */
  place?: { file: string | null; line: string | null };
  onFile?: (path: string) => void;
  /** Called with the line whose link is to be copied. */
  onLine?: (path: string, line: string) => void;
  /** Whether files can be marked as viewed. */
  canView?: boolean;
  /** Whether a file has open threads. */
  hasThreads?: (path: string) => boolean;
  /** A link to the file at this version. */
  linkOf?: (path: string) => string;
  /** Above the list of files. */
  top?: ReactNode;
  /** Shown if there are no changes. */
  empty: { title: string; text: string };
}

/** All changed files below each other, with their tree beside them. */
export function ChangesView(props: ChangesViewProps) {
  const { source, changes, place, onFile, onLine, canView = true, hasThreads, linkOf } = props;
  const [search, setSearch] = useState("");
  const [hidesViewed, setHidesViewed] = useState(false);
  const [ignoreWhitespace, setIgnoreWhitespace] = useState(false);
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<VirtuosoHandle>(null);
  const scroller = useRef<HTMLElement | null>(null);
  const roomy = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useLocalStorage<DiffLayout>({
    key: "forgeguard-diff-layout",
    defaultValue: "inline",
    getInitialValueInEffect: false,
  });
  const layout = roomy ? chosen : "inline";
  const viewed = useViewedFiles(source);
  const words = search.trim().toLowerCase();
  // In the order of the tree.
  const all = useMemo(
    () => treeRows(changes.files).flatMap((row) => (row.kind === "file" ? [row.file] : [])),
    [changes.files],
  );
  const files = all.filter(
    (file) => file.path.toLowerCase().includes(words) && !(hidesViewed && viewed.isViewed(file)),
  );
  const [moved, setMoved] = useState(false);
  const [current, setCurrent] = useState<string | null>(place?.file ?? null);
  const selected = files.find(({ path }) => path === current)?.path ?? files[0]?.path ?? null;
  // A line in the address stays in view when the layout changes, until the user scrolls away.
  const startFile = place?.line && !moved ? place.file : selected;
  const start = files.findIndex(({ path }) => path === startFile);
  const sum = (of: "insertions" | "deletions") => files.reduce((sum, file) => sum + file[of], 0);

  const isOpen = (file: DiffFile) =>
    opened.get(file.path) ??
    ((place?.line != null && place.file === file.path) ||
      (!viewed.isViewed(file) && opensAtFirst(file)));
  const setOpen = (path: string, open: boolean) =>
    setOpened((before) => new Map(before).set(path, open));

  /** The file whose card was chosen, until the user scrolls away from it. */
  const target = useRef<{ path: string; wasReached: boolean } | null>(null);
  function goTo(path: string) {
    target.current = { path, wasReached: false };
    setCurrent(path);
    setMoved(true);
    onFile?.(path);
    const index = files.findIndex((file) => file.path === path);
    if (index >= 0) list.current?.scrollToIndex({ index, align: "start" });
  }

  function selectFileAtTop() {
    const top = scroller.current && fileAtTop(scroller.current);
    if (!top) return;
    const chosen = target.current;
    // The list scrolls in several steps, and the last files cannot reach its top.
    if (chosen && isVisible(scroller.current, chosen.path)) chosen.wasReached = true;
    else if (chosen?.wasReached) target.current = null;
    if (!target.current) setCurrent(top);
  }

  function setViewed(file: DiffFile, isViewed: boolean) {
    viewed.setViewed(file, isViewed);
    setOpen(file.path, !isViewed);
  }

  function markViewed() {
    const at = files.findIndex(({ path }) => path === selected);
    const file = files[at];
    if (!file) return;
    const isViewed = !viewed.isViewed(file);
    setViewed(file, isViewed);
    const next = files[at + 1];
    if (isViewed && next) goTo(next.path);
  }

  function jump(step: 1 | -1) {
    if (!scroller.current || nextChange(scroller.current, step)) return;
    const at = files.findIndex(({ path }) => path === selected);
    const next = files[at + step];
    if (next) goTo(next.path);
  }

  useActions([
    { name: "searchFiles", run: () => field.current?.focus() },
    { name: "nextChange", run: () => jump(1) },
    { name: "previousChange", run: () => jump(-1) },
    canView && { name: "markViewed", run: markViewed },
    onLine && {
      name: "linkLine",
      run: () => scroller.current && lineAtTop(scroller.current)?.click(),
    },
    roomy && { name: "sideBySide", run: () => setChosen(layout === "split" ? "inline" : "split") },
  ]);

  // A place in the address that changes, as by a link to a line, is scrolled to.
  const shownFile = useRef(place?.file ?? null);
  useEffect(() => {
    const file = place?.file ?? null;
    if (file === null || file === shownFile.current) return;
    shownFile.current = file;
    if (file === target.current?.path) return;
    setCurrent(file);
    const index = files.findIndex(({ path }) => path === file);
    if (index >= 0) list.current?.scrollToIndex({ index, align: "start" });
  });

  return (
    <DiffFrame
      files={
        <>
          {props.top}
          <Group
            gap="6px 0.75rem"
            px="sm"
            pt={props.top ? 0 : 8}
            pb={6}
            style={{ borderBottom: "1px solid var(--line)" }}
          >
            <TextInput
              flex="1 1 11rem"
              ref={field}
              aria-label="Search changed files"
              placeholder="Search files"
              size="xs"
              leftSection={<IconSearch size={14} aria-hidden />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
            <Text fz="xs" c="dimmed" role="status">
              {files.length < all.length ? `${files.length} of ` : ""}
              {plural(all.length, "file")}{" "}
              <ChangeCounts insertions={sum("insertions")} deletions={sum("deletions")} />
            </Text>
            {canView && viewed.seen.size > 0 && (
              <Switch
                size="xs"
                label="Hide viewed files"
                checked={hidesViewed}
                onChange={(event) => setHidesViewed(event.currentTarget.checked)}
              />
            )}
            {changes.truncated && <TruncatedNote />}
          </Group>
          <FileList
            key={words}
            label="Changed files"
            files={files}
            selected={selected}
            onSelect={goTo}
            describe={(file, name) =>
              describeChange(file, name, {
                viewed: canView && viewed.isViewed(file),
                note: hasThreads?.(file.path) && <IconMessage size={14} aria-hidden />,
              })
            }
          />
        </>
      }
    >
      {files.length === 0 ? (
        <EmptyState
          order={3}
          icon={<IconFileDiff size={22} />}
          title={all.length > 0 ? "No files match" : props.empty.title}
        >
          {all.length > 0 ? "Change the search or show viewed files." : props.empty.text}
        </EmptyState>
      ) : (
        <Box className={classes.view}>
          <ChangesToolbar
            viewed={canView ? { count: viewedCount(all, viewed.seen), of: all.length } : null}
            layout={roomy ? layout : null}
            onLayout={setChosen}
            ignoreWhitespace={ignoreWhitespace}
            onIgnoreWhitespace={setIgnoreWhitespace}
            onJump={jump}
          />
          <Virtuoso<DiffFile>
            // The heights of a layout do not apply to the other one.
            key={layout}
            ref={list}
            scrollerRef={(element) => {
              scroller.current = element as HTMLElement | null;
            }}
            className={`focus-inset ${classes.list}`}
            data={files}
            computeItemKey={(_, file) => file.path}
            defaultItemHeight={ESTIMATED_CARD_PX}
            increaseViewportBy={600}
            initialTopMostItemIndex={start > 0 ? { index: start, align: "start" } : 0}
            rangeChanged={selectFileAtTop}
            onScroll={selectFileAtTop}
            onWheel={() => {
              target.current = null;
              setMoved(true);
            }}
            onKeyDown={(event) => {
              if (!event.key.startsWith("Page") && !event.key.startsWith("Arrow")) return;
              target.current = null;
              setMoved(true);
            }}
            itemContent={(_, file) => (
              <FileCard
                source={source}
                file={file}
                layout={layout}
                ignoreWhitespace={ignoreWhitespace}
                open={isOpen(file)}
                onOpen={(open) => setOpen(file.path, open)}
                viewed={canView ? viewed.isViewed(file) : null}
                onViewed={(isViewed) => setViewed(file, isViewed)}
                marked={place?.file === file.path ? place.line : null}
                onLine={onLine && ((line) => onLine(file.path, line))}
                link={linkOf?.(file.path)}
                action={props.action}
                beneath={props.beneath}
              />
            )}
            tabIndex={0}
            role="region"
            aria-label="Changed lines"
          />
        </Box>
      )}
    </DiffFrame>
  );
}

const opensAtFirst = ({ path, insertions, deletions }: DiffFile) =>
  !isGenerated(path) && insertions + deletions <= MAX_OPEN_LINE_COUNT;

const cardsOf = (scroller: Element | null) => [
  ...(scroller?.querySelectorAll<HTMLElement>("[data-file]") ?? []),
];

/** The path of the file at the top of the visible part. */
function fileAtTop(scroller: HTMLElement): string | undefined {
  const { top } = scroller.getBoundingClientRect();
  return cardsOf(scroller).find((card) => card.getBoundingClientRect().bottom > top + 40)?.dataset
    .file;
}

/** The number of the first line in the visible part, below the header of its file. */
function lineAtTop(scroller: HTMLElement): HTMLElement | undefined {
  const top = scroller.getBoundingClientRect().top + HEADER_PX;
  return [...scroller.querySelectorAll<HTMLElement>("[data-line]")].find(
    (number) => number.getBoundingClientRect().top >= top,
  );
}

function isVisible(scroller: HTMLElement | null, path: string): boolean {
  const card = cardsOf(scroller).find(({ dataset }) => dataset.file === path);
  if (!scroller || !card) return false;
  const [view, box] = [scroller.getBoundingClientRect(), card.getBoundingClientRect()];
  return box.top < view.bottom && box.bottom > view.top;
}
