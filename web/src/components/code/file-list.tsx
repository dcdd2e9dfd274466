import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import type { DiffFile } from "@/lib/api";
import classes from "./file-list.module.css";
import { FileRow } from "./file-row";
import { type TreeRow, treeRows } from "./file-tree";

interface FileListProps {
  files: DiffFile[];
  selected: string | null;
  onSelect: (path: string) => void;
  /** A short note about a file, such as a count. */
  note?: (path: string) => ReactNode;
}

/** A tree of changed files with the usual keys: Up and Down move, Left and Right collapse and expand. */
export function FileList({ files, selected, onSelect, note }: FileListProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const list = useRef<VirtuosoHandle>(null);
  const tree = useRef<HTMLElement | null>(null);
  // Exactly one row of the tree is in the tab order.
  const stop =
    [focused, selected].find((key) => rows.some((row) => row.key === key)) ?? rows[0]?.key;

  function toggle(key: string) {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    setClosed(next);
  }

  function choose(row: TreeRow) {
    setFocused(row.key);
    if (row.kind === "folder") toggle(row.key);
    else onSelect(row.key);
  }

  function moveTo(index: number) {
    const row = rows[index];
    if (!row) return;
    setFocused(row.key);
    if (row.kind === "file") onSelect(row.key);
    const focus = () =>
      tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"]`)?.focus();
    list.current?.scrollIntoView({ index, done: focus });
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = rows.findIndex(({ key }) => key === stop);
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
    <Virtuoso<TreeRow>
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
          note={note?.(row.key)}
          onChoose={choose}
        />
      )}
      fixedItemHeight={28}
      onKeyDown={onKeyDown}
      tabIndex={-1}
      role="tree"
      aria-label="Changed files"
      className={classes.tree}
    />
  );
}
