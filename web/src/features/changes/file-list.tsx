import { IconFolder } from "@tabler/icons-react";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { ChangeCounts } from "@/components/change-counts";
import type { DiffFile } from "@/lib/api";
import classes from "./changes.module.css";
import { treeRows } from "./file-tree";

const LETTER = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;

interface FileListProps {
  files: DiffFile[];
  selected: string | null;
  onSelect: (path: string) => void;
}

/** The tree of changed files. Up and Down move, as in any file list. */
export function FileList({ files, selected, onSelect }: FileListProps) {
  const rows = useMemo(() => treeRows(files), [files]);
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const paths = rows.filter((row) => row.kind === "file").map((row) => row.key);
    const at = paths.indexOf(selected ?? "");
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: paths.length - 1 }[event.key];
    const path = to === undefined ? undefined : paths[to];
    if (path === undefined) return;
    event.preventDefault();
    onSelect(path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  }

  return (
    <div
      ref={list}
      role="tree"
      aria-label="Changed files"
      className={classes.tree}
      onKeyDown={onKeyDown}
    >
      {rows.map((row) =>
        row.kind === "folder" ? (
          <div
            key={row.key}
            role="none"
            className={classes.folder}
            style={{ paddingLeft: `${0.5 + row.depth * 0.75}rem` }}
          >
            <IconFolder size={14} aria-hidden />
            {row.name}
          </div>
        ) : (
          <div
            key={row.key}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-selected={row.key === selected}
            aria-label={`${row.file.path}, ${row.file.status}, ${row.file.insertions} added, ${row.file.deletions} removed`}
            tabIndex={row.key === selected ? 0 : -1}
            data-path={row.key}
            className={classes.file}
            style={{ paddingLeft: `${0.5 + row.depth * 0.75}rem` }}
            onClick={() => onSelect(row.key)}
            onKeyDown={(event) => event.key === "Enter" && onSelect(row.key)}
          >
            <span className={classes.letter} data-status={row.file.status} aria-hidden>
              {LETTER[row.file.status]}
            </span>
            <span className={classes.fileName}>{row.name}</span>
            <span className={classes.counts} aria-hidden>
              {row.file.binary ? (
                "binary"
              ) : (
                <ChangeCounts insertions={row.file.insertions} deletions={row.file.deletions} />
              )}
            </span>
          </div>
        ),
      )}
    </div>
  );
}
