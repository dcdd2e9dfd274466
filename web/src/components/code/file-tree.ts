// Changed files as rows of a tree; chains of single folders become one row.
import type { DiffFile } from "@/lib/api";

export type TreeRow =
  | { kind: "folder"; key: string; name: string; depth: number; open: boolean }
  | { kind: "file"; key: string; name: string; depth: number; file: DiffFile };

interface Folder {
  folders: Map<string, Folder>;
  files: DiffFile[];
}

const emptyFolder = (): Folder => ({ folders: new Map(), files: [] });

/** `closed` contains the keys of collapsed folders. */
export function treeRows(files: DiffFile[], closed: ReadonlySet<string> = new Set()): TreeRow[] {
  const root = emptyFolder();
  for (const file of files) {
    let folder = root;
    for (const part of file.path.split("/").slice(0, -1)) {
      const next = folder.folders.get(part) ?? emptyFolder();
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return rowsOf(root, "", 0, closed);
}

function rowsOf(
  folder: Folder,
  prefix: string,
  depth: number,
  closed: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  for (const [name, child] of [...folder.folders].sort(([a], [b]) => a.localeCompare(b))) {
    let label = name;
    let inner = child;
    while (inner.files.length === 0 && inner.folders.size === 1) {
      const [only] = inner.folders;
      if (!only) break;
      label += `/${only[0]}`;
      inner = only[1];
    }
    const key = `${prefix}${label}/`;
    const open = !closed.has(key);
    rows.push({ kind: "folder", key, name: label, depth, open });
    if (open) rows.push(...rowsOf(inner, key, depth + 1, closed));
  }
  for (const file of [...folder.files].sort((a, b) => a.path.localeCompare(b.path))) {
    rows.push({
      kind: "file",
      key: file.path,
      name: file.path.split("/").at(-1) ?? file.path,
      depth,
      file,
    });
  }
  return rows;
}
