import { Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { DiffFile } from "@/lib/api";
import { ChangeCounts } from "../change-counts";
import { isImage } from "./empty-diff-message";
import classes from "./file-list.module.css";
import type { TreeRow } from "./file-tree";

const LETTER = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;

interface FileRowProps {
  row: TreeRow;
  selected: boolean;
  /** Whether the row is in the tab order. */
  stop: boolean;
  note: ReactNode;
  onChoose: (row: TreeRow) => void;
}

/** A folder or file of the tree. The tree handles its keys. */
export function FileRow({ row, selected, stop, note, onChoose }: FileRowProps) {
  const folder = row.kind === "folder";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys of its rows
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={folder ? undefined : selected}
      aria-expanded={folder ? row.open : undefined}
      aria-label={folder ? `Folder ${row.name}` : fileLabel(row.file)}
      title={folder ? undefined : pathOf(row.file)}
      tabIndex={stop ? 0 : -1}
      data-key={row.key}
      className={`focus-inset ${folder ? classes.folder : classes.file}`}
      style={{ paddingLeft: `${0.5 + row.depth * 0.75}rem` }}
      onClick={() => onChoose(row)}
    >
      {folder ? (
        <>
          <IconChevronRight size={14} data-open={row.open || undefined} aria-hidden />
          <span className={classes.fileName}>{row.name}</span>
        </>
      ) : (
        <>
          <span className={classes.letter} data-status={row.file.status} aria-hidden>
            {LETTER[row.file.status]}
          </span>
          <span className={classes.fileName}>{row.name}</span>
          {note}
          <Text span fz="xs" c="dimmed" flex="none" aria-hidden>
            {row.file.binary ? (
              kindOf(row.file)
            ) : (
              <ChangeCounts insertions={row.file.insertions} deletions={row.file.deletions} />
            )}
          </Text>
        </>
      )}
    </div>
  );
}

const kindOf = ({ path }: DiffFile) => (isImage(path) ? "image" : "binary");

const pathOf = ({ path, old_path }: DiffFile) =>
  old_path && old_path !== path ? `${old_path} → ${path}` : path;

function fileLabel(file: DiffFile): string {
  const { path, old_path, status, insertions, deletions, binary } = file;
  const from = old_path && old_path !== path ? ` from ${old_path}` : "";
  const what = binary ? kindOf(file) : `${insertions} added, ${deletions} removed`;
  return `${path}, ${status}${from}, ${what}`;
}
