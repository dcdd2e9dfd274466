// Why a changed file shows no lines, in words.
import type { FileDiff } from "@/lib/api";

/** Those that browsers draw. */
const PICTURE = /\.(png|jpe?g|gif|webp|avif|ico|bmp)$/i;

export const isPicture = (path: string) => PICTURE.test(path);

const DONE = {
  added: "was added",
  modified: "was changed",
  deleted: "was removed",
  renamed: "was renamed",
} as const;

export function noLines({
  path,
  old_path,
  status,
  binary,
}: FileDiff): [title: string, text: string] {
  const moved = old_path && old_path !== path ? ` from ${old_path}` : "";
  if (binary) {
    return isPicture(path)
      ? [`A picture ${DONE[status]}${moved}`, "Clone the branch to look at it."]
      : [
          `A binary file ${DONE[status]}${moved}`,
          "It is not text, or too large to be read as text. Clone the branch to look into it.",
        ];
  }
  if (moved) return [`Renamed${moved}`, "Not one of its lines changed."];
  if (status === "added") return ["An empty file was added", "There is nothing in it yet."];
  if (status === "deleted") return ["An empty file was removed", "There was nothing in it."];
  return ["No lines changed", "Only its mode did: whether it can be run, for example."];
}
