// Why a changed file has no lines to show.
import type { FileDiff } from "@/lib/api";

/** Image formats that browsers support. */
const IMAGE = /\.(png|jpe?g|gif|webp|avif|ico|bmp)$/i;

export const isImage = (path: string) => IMAGE.test(path);

const DONE = {
  added: "was added",
  modified: "was changed",
  deleted: "was removed",
  renamed: "was renamed",
} as const;

export function emptyDiffMessage({
  path,
  old_path,
  status,
  binary,
}: FileDiff): [title: string, text: string] {
  const moved = old_path && old_path !== path ? ` from ${old_path}` : "";
  if (binary) {
    return isImage(path)
      ? [`An image ${DONE[status]}${moved}`, "Clone the branch to view it."]
      : [
          `A binary file ${DONE[status]}${moved}`,
          "It is not text, or too large to display. Clone the branch to view it.",
        ];
  }
  if (moved) return [`Renamed${moved}`, "Its content did not change."];
  if (status === "added") return ["An empty file was added", "It has no content."];
  if (status === "deleted") return ["An empty file was removed", "It had no content."];
  return ["No lines changed", "Only the file mode changed."];
}
