import { type FocusEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import classes from "./file-list.module.css";
import { type FileDescription, FileRow } from "./file-row";
import { type TreeRow, treeRows } from "./file-tree";

interface FileListProps<F extends { path: string }> {
  /** The accessible name of the tree. */
  label: string;
  files: F[];
  selected: string | null;
  onSelect: (path: string) => void;
  /** The content of a file's row. */
  describe: (file: F, name: string) => FileDescription;
  /** The folders that are collapsed at first. */
  closedAtFirst?: ReadonlySet<string>;
}

const NO_FOLDERS: ReadonlySet<string> = new Set();

/** A tree of files with the usual keys: Up and Down move, Left and Right collapse and expand. */
export function FileList<F extends { path: string }>(props: FileListProps<F>) {
  const { label, files, selected, onSelect, describe, closedAtFirst = NO_FOLDERS } = props;
  const [closed, setClosed] = useState(closedAtFirst);
  const [focused, setFocused] = useState<string | null>(null);
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const list = useRef<VirtuosoHandle>(null);
  const tree = useRef<HTMLElement | null>(null);
  const [rendered, setRendered] = useState({ first: 0, last: 0 });
  // One row of the tree is in the tab order, and the tree itself, because that row may not be rendered.
  const stop =
    [focused, selected].find((key) => rows.some((row) => row.key === key)) ?? rows[0]?.key;
  const stopIndex = rows.findIndex(({ key }) => key === stop);
  const isStopRendered = rendered.first <= stopIndex && stopIndex <= rendered.last;

  // The tree follows the selection, unless the user moves in the tree.
  const selectedIndex = rows.findIndex(({ key }) => key === selected);
  useEffect(() => {
    if (selectedIndex < 0 || tree.current?.contains(document.activeElement)) return;
    list.current?.scrollIntoView({ index: selectedIndex });
  }, [selectedIndex]);

  function toggle(key: string) {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    setClosed(next);
  }

  function choose(row: TreeRow<F>) {
    setFocused(row.key);
    if (row.kind === "folder") toggle(row.key);
    else onSelect(row.key);
  }

  function moveTo(index: number) {
    const row = rows[index];
    if (!row) return;
    setFocused(row.key);
    if (row.kind === "file") onSelect(row.key);
    focusRow(index);
  }

  function focusRow(index: number) {
    const key = CSS.escape(rows[index]?.key ?? "");
    const focus = () => tree.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
    list.current?.scrollIntoView({ index, done: focus });
  }

  function onFocus(event: FocusEvent) {
    // By the keyboard: a click beside the rows does not scroll.
    const isTree = event.target === tree.current && event.target.matches(":focus-visible");
    if (isTree && !isStopRendered) focusRow(stopIndex);
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = stopIndex;
    const row = rows[at];
    if (!row) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    const above = rows.findLastIndex(({ depth }, index) => index < at && depth < row.depth);
    if (to !== undefined) moveTo(to);
    else if (event.key === "Enter") choose(row);
    else if (event.key === "ArrowRight" && row.kind === "folder")
      row.open ? moveTo(at + 1) : toggle(row.key);
    else if (event.key === "ArrowLeft" && row.kind === "folder" && row.open) toggle(row.key);
    else if (event.key === "ArrowLeft") moveTo(above);
    else return;
    event.preventDefault();
  }

  function step(by: 1 | -1) {
    const places = rows.flatMap(({ kind }, index) => (kind === "file" ? [index] : []));
    const at = places.findIndex((index) => rows[index]?.key === selected);
    const to = places[at + by];
    if (to !== undefined) moveTo(to);
  }

  useActions([
    { name: "nextFile", run: () => step(1) },
    { name: "previousFile", run: () => step(-1) },
  ]);

  return (
    <Virtuoso<TreeRow<F>>
      ref={list}
      scrollerRef={(element) => {
        tree.current = element as HTMLElement | null;
      }}
      data={rows}
      initialTopMostItemIndex={{
        index: Math.max(
          0,
          rows.findIndex(({ key }) => key === selected),
        ),
        align: "center",
      }}
      computeItemKey={(_, row) => row.key}
      itemContent={(_, row) => (
        <FileRow
          row={row}
          selected={row.key === selected}
          stop={row.key === stop}
          description={row.kind === "file" ? describe(row.file, row.name) : null}
          onChoose={() => choose(row)}
        />
      )}
      fixedItemHeight={28}
      itemsRendered={(items) => {
        const first = items[0]?.index ?? 0;
        const last = items.at(-1)?.index ?? 0;
        setRendered((old) => (old.first === first && old.last === last ? old : { first, last }));
      }}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      tabIndex={0}
      role="tree"
      aria-label={label}
      className={classes.tree}
    />
  );
}
