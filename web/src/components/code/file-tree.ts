// Files as rows of a tree; chains of single folders become one row.
interface File {
  path: string;
}

export type TreeRow<F extends File> =
  | { kind: "folder"; key: string; name: string; depth: number; open: boolean }
  | { kind: "file"; key: string; name: string; depth: number; file: F };

interface Folder<F> {
  folders: Map<string, Folder<F>>;
  files: F[];
}

const emptyFolder = <F>(): Folder<F> => ({ folders: new Map(), files: [] });

/** `closed` contains the keys of collapsed folders. */
export function treeRows<F extends File>(
  files: F[],
  closed: ReadonlySet<string> = new Set(),
): TreeRow<F>[] {
  const root = emptyFolder<F>();
  for (const file of files) {
    let folder = root;
    for (const part of file.path.split("/").slice(0, -1)) {
      const next = folder.folders.get(part) ?? emptyFolder<F>();
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return rowsOf(root, "", 0, closed);
}

/** The keys of the folders that do not contain this file. */
export function otherFolders(files: File[], path: string): ReadonlySet<string> {
  const keys = treeRows(files).flatMap((row) => (row.kind === "folder" ? [row.key] : []));
  return new Set(keys.filter((key) => !path.startsWith(key)));
}

function rowsOf<F extends File>(
  folder: Folder<F>,
  prefix: string,
  depth: number,
  closed: ReadonlySet<string>,
): TreeRow<F>[] {
  const rows: TreeRow<F>[] = [];
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
