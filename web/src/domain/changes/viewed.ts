// Which files of a diff count as viewed: those whose content is the one that the user saw.
import type { DiffFile } from "@/lib/api";

type Content = Pick<DiffFile, "path" | "content_id">;

export const isViewed = ({ path, content_id }: Content, seen: ReadonlyMap<string, string>) =>
  content_id !== null && seen.get(path) === content_id;

export const viewedCount = (files: Content[], seen: ReadonlyMap<string, string>): number =>
  files.filter((file) => isViewed(file, seen)).length;
