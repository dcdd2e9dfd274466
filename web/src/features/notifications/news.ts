// What has happened between two looks at the projects that a person would want to come back for.
import type { BuildSummary, Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { VERDICT } from "@/lib/verdict";
import type { Standing } from "./standing";

export interface News {
  /** One piece of news has one key in every tab. */
  key: string;
  title: string;
  body: string;
  path: string;
}

const ENDS: BuildSummary["status"][] = ["sealed", "blocked"];

export function newsSince(before: Project[] | null, now: Project[]): News[] {
  if (before === null) return [];
  return now.flatMap((project) => {
    const build = project.last_build;
    if (!build) return [];
    const earlier = before.find(({ id }) => id === project.id)?.last_build;
    return newsOf(project, build, earlier?.id === build.id ? earlier : null);
  });
}

function newsOf(project: Project, build: BuildSummary, earlier: BuildSummary | null): News[] {
  const path = paths.build(project.id, build.id);
  const tell = (what: string, title: string, body: string) => [
    { key: `${build.id}:${what}`, title, body, path },
  ];
  const questions = build.open_questions;
  if (questions > (earlier?.open_questions ?? 0)) {
    const waiting = questions === 1 ? "The build waits" : `${plural(questions, "question")} wait`;
    return tell("question", `${project.name} asks you something`, `${waiting} for your answer.`);
  }
  const { status, verdict } = build;
  if (!ENDS.includes(status) || earlier?.status === status) return [];
  return verdict
    ? tell(
        status,
        `${project.name} is sealed: ${VERDICT[verdict].label.toLowerCase()}`,
        VERDICT[verdict].meaning,
      )
    : tell(status, `${project.name} is blocked`, "It cannot go on without a person.");
}

/** Only someone who is elsewhere and asked for it is called. */
export const mayCall = (standing: Standing, hidden: boolean) => standing === "on" && hidden;
