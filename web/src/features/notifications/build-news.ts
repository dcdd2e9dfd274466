// Changes of builds that are worth a notification.

import { VERDICT } from "@/domain/verdict";
import type { BuildSummary, Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import type { NotificationState } from "./permission";

export interface BuildNews {
  /** The same in all tabs, so that each notification is shown once. */
  key: string;
  title: string;
  body: string;
  path: string;
}

const ENDS: BuildSummary["status"][] = ["sealed", "blocked"];

export function changesSince(before: Project[] | null, now: Project[]): BuildNews[] {
  if (before === null) return [];
  return now.flatMap((project) => {
    const build = project.last_build;
    if (!build) return [];
    const earlier = before.find(({ id }) => id === project.id)?.last_build;
    return newsOf(project, build, earlier?.id === build.id ? earlier : null);
  });
}

function newsOf(project: Project, build: BuildSummary, earlier: BuildSummary | null): BuildNews[] {
  const path = paths.build(project.id, build.id);
  const news = (what: string, title: string, body: string) => [
    { key: `${build.id}:${what}`, title, body, path },
  ];
  const questions = build.open_questions;
  if (questions > (earlier?.open_questions ?? 0)) {
    const waiting =
      questions === 1 ? "The build is waiting" : `${plural(questions, "question")} are waiting`;
    return news("question", `Question from ${project.name}`, `${waiting} for your answer.`);
  }
  const { status, verdict } = build;
  if (!ENDS.includes(status) || earlier?.status === status) return [];
  return verdict
    ? news(
        status,
        `${project.name} is sealed: ${VERDICT[verdict].label.toLowerCase()}`,
        VERDICT[verdict].meaning,
      )
    : news(status, `${project.name} is blocked`, "It cannot continue without your help.");
}

/** Only for users who enabled notifications and are in another tab. */
export const shouldNotify = (standing: NotificationState, hidden: boolean) =>
  standing === "on" && hidden;
