import { Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { DiffFile } from "@/lib/api";
import { ChangeCounts } from "../change-counts";
import { isImage } from "./empty-diff-message";
import classes from "./file-list.module.css";
import type { FileDescription } from "./file-row";

const LETTER = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;

/** The row of a changed file: how it changed, and its changed lines. */
export function describeChange(
  file: DiffFile,
  name: string,
  { note, viewed }: { note: ReactNode; viewed: boolean },
): FileDescription {
  return {
    label: `${fileLabel(file)}${viewed ? ", viewed" : ""}`,
    title: pathOf(file),
    content: (
      <>
        <span className={classes.letter} data-status={file.status} aria-hidden>
          {LETTER[file.status]}
        </span>
        <span className={classes.fileName} data-viewed={viewed || undefined}>
          {name}
        </span>
        {note}
        {viewed && <IconCheck size={14} aria-hidden />}
        <Text span fz="xs" c="dimmed" flex="none" aria-hidden>
          {file.binary ? (
            kindOf(file)
          ) : (
            <ChangeCounts insertions={file.insertions} deletions={file.deletions} />
          )}
        </Text>
      </>
    ),
  };
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
