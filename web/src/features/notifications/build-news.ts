// Changes that are worth a notification: new items of the inbox, and builds that were sealed.

import { buildName } from "@/domain/build-name";
import { inboxBuild, inboxPath } from "@/domain/inbox-item";
import { VERDICT } from "@/domain/verdict";
import type { InboxItem, Schemas } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import type { NotificationState } from "./permission";

/** A build of any project that the user may view. */
export interface WatchedBuild
  extends Pick<
    Schemas["ListedBuild"],
    | "id"
    | "number"
    | "title"
    | "project_id"
    | "project_name"
    | "status"
    | "verdict"
    | "open_questions"
    | "blocked_text"
  > {
  /** Whether its project is the user's own. */
  isOwn: boolean;
}

export interface BuildNews {
  /** The same in all tabs, so that each notification is shown once. */
  key: string;
  title: string;
  body: string;
  path: string;
}

/** Unread items that were not listed before. */
export function newInboxItems(before: InboxItem[] | null, now: InboxItem[]): BuildNews[] {
  if (before === null) return [];
  const known = new Set(before.map(({ key }) => key));
  const news = now.filter(({ key, read_at }) => read_at === null && !known.has(key));
  return news.map((item) => ({
    key: item.key,
    title: inboxTitle(item),
    body: item.text ?? "",
    path: inboxPath(item),
  }));
}

function inboxTitle(item: InboxItem): string {
  const name = inboxBuild(item);
  switch (item.kind) {
    case "question":
      return `Question from ${name}`;
    case "plan":
      return `Plan to approve: ${name}`;
    case "blocked":
      return `${name} is blocked`;
    case "review":
      if (item.decision === null) return `${name} is waiting for your review`;
      return item.decision === "approved"
        ? `${name} was approved`
        : `Changes were requested to ${name}`;
  }
}

/**
 * Builds that were sealed; and questions and blocks of builds of other users' projects, which are not in the
 * inbox.
 */
export function changesSince(before: WatchedBuild[] | null, now: WatchedBuild[]): BuildNews[] {
  if (before === null) return [];
  const earlier = new Map(before.map((build) => [build.id, build]));
  // Ids grow with time. A list is limited, so that old builds appear in it when others leave it.
  const newest = before.reduce((last, { id }) => (id > last ? id : last), "");
  return now
    .filter(({ id }) => earlier.has(id) || id > newest)
    .flatMap((build) => newsOf(build, earlier.get(build.id) ?? null));
}

function newsOf(build: WatchedBuild, earlier: WatchedBuild | null): BuildNews[] {
  const path = paths.build(build.project_id, build.number);
  const name = `${build.project_name} ${buildName(build)}`;
  const news = (what: string, title: string, body: string) => [
    { key: `${build.id}:${what}`, title, body, path },
  ];
  const { status, verdict, open_questions: questions } = build;
  const isNew = earlier?.status !== status;
  if (status === "sealed" && verdict && isNew) {
    const label = VERDICT[verdict].label.toLowerCase();
    return news(status, `${name} is sealed: ${label}`, VERDICT[verdict].meaning);
  }
  if (build.isOwn) return [];
  if (questions > (earlier?.open_questions ?? 0)) {
    const body =
      questions === 1
        ? "It is waiting for an answer."
        : `${plural(questions, "question")} are open.`;
    return news("question", `Question from ${name}`, body);
  }
  return status === "blocked" && isNew
    ? news(status, `${name} is blocked`, build.blocked_text ?? "")
    : [];
}

/** Only for users who enabled notifications and are in another tab. */
export const shouldNotify = (standing: NotificationState, hidden: boolean) =>
  standing === "on" && hidden;
