import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./file-list.module.css";
import type { TreeRow } from "./file-tree";

export interface FileDescription {
  /** The accessible name. */
  label: string;
  title: string;
  content: ReactNode;
}

interface FileRowProps {
  row: TreeRow<{ path: string }>;
  /** Null for a folder. */
  description: FileDescription | null;
  selected: boolean;
  /** Whether the row is in the tab order. */
  stop: boolean;
  onChoose: () => void;
}

/** A folder or file of the tree. The tree handles its keys. */
export function FileRow({ row, description, selected, stop, onChoose }: FileRowProps) {
  const folder = row.kind === "folder";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys of its rows
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={folder ? undefined : selected}
      aria-expanded={folder ? row.open : undefined}
      aria-label={folder ? `Folder ${row.name}` : description?.label}
      title={description?.title}
      tabIndex={stop ? 0 : -1}
      data-key={row.key}
      className={`focus-inset ${folder ? classes.folder : classes.file}`}
      style={{ paddingLeft: `${0.5 + row.depth * 0.75}rem` }}
      onClick={onChoose}
    >
      {folder ? (
        <>
          <IconChevronRight size={14} data-open={row.open || undefined} aria-hidden />
          <span className={classes.fileName}>{row.name}</span>
        </>
      ) : (
        description?.content
      )}
    </div>
  );
}
