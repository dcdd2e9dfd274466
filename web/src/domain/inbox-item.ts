// Labels and destinations of inbox items, which the inbox and browser notifications share.
import type { InboxItem } from "@/lib/api";
import { paths } from "@/lib/paths";
import { buildName } from "./build-name";

/** The build with its project, such as "Shelf #3 Due dates". */
export const inboxBuild = ({ project_name, build_number, build_title }: InboxItem) =>
  `${project_name} ${buildName({ number: build_number, title: build_title })}`;

/** What is waiting, without the build. */
export function inboxLabel({ kind, decision }: InboxItem): string {
  switch (kind) {
    case "question":
      return "Question";
    case "plan":
      return "Plan to approve";
    case "blocked":
      return "Build blocked";
    case "review":
      if (decision === "approved") return "Approved";
      return decision ? "Changes requested" : "Waiting for your review";
  }
}

/** Whether nothing is left to do. */
export const isDone = ({ decision }: InboxItem) => decision === "approved";

/** The page on which the item is handled. */
export function inboxPath(item: InboxItem): string {
  if (item.kind !== "review") return paths.build(item.project_id, item.build_number);
  return item.decision === null
    ? paths.review(item.build_id)
    : paths.build(item.project_id, item.build_number, "seal");
}
