// All URLs of the app.
export type ContractView = "document" | "picture" | "text" | "history" | "edit";
export type BuildTab =
  | "activity"
  | "changes"
  | "requirements"
  | "errors"
  | "ask"
  | "usage"
  | "transcripts"
  | "plan"
  | "seal";

/** The number of a build in its project, or its id. */
type BuildRef = number | string;

const slugs = new Map<string, string>();

/** Links to these projects, by id, then contain their slugs. */
export function rememberSlugs(projects: { id: string; slug: string }[]) {
  for (const { id, slug } of projects) slugs.set(id, slug);
}

/** Of a user who has signed out. */
export const forgetSlugs = () => slugs.clear();

/** A slug stands for itself, as does an id whose slug is not known. */
export const slugOf = (project: string) => slugs.get(project) ?? project;

const project = (id: string) => `/projects/${slugOf(id)}`;

export const paths = {
  home: "/",
  setup: "/setup",
  signIn: (returnTo?: string) =>
    returnTo && returnTo !== "/" ? `/sign-in?return=${encodeURIComponent(returnTo)}` : "/sign-in",
  account: "/account",
  users: "/users",
  installationSettings: "/settings",
  welcome: "/welcome",
  reviews: "/reviews",
  review: (build: string) => `/reviews/${build}`,
  auditLog: "/audit-log",
  allBuilds: "/builds",
  allBacklogs: "/backlog",
  inbox: "/inbox",
  questions: "/questions",
  project,
  projectSettings: (id: string) => `${project(id)}/settings`,
  /** `step` is a section or `review`; by default the first incomplete section. */
  questionnaire: (id: string, step?: string, question?: string) =>
    `${project(id)}/questionnaire${step ? `/${step}` : ""}${question ? `#${question}` : ""}`,
  conversation: (id: string) => `${project(id)}/questionnaire/conversation`,
  contracts: (id: string) => `${project(id)}/contracts`,
  contract: (id: string, type: string, view?: ContractView) =>
    `${project(id)}/contracts/${type}${view ? `?view=${view}` : ""}`,
  contractLine: (id: string, type: string, line: number) =>
    `${project(id)}/contracts/${type}?view=text&line=${line}`,
  builds: (id: string) => `${project(id)}/builds`,
  build: (id: string, build: BuildRef, tab?: BuildTab) =>
    `${project(id)}/builds/${build}${tab ? `?tab=${tab}` : ""}`,
  comparison: (id: string) => `${project(id)}/compare`,
  /** Two builds by their numbers. */
  compare: (id: string, from: number, to: number) => `${project(id)}/compare?from=${from}&to=${to}`,
  /** An event in a build's activity. */
  event: (id: string, build: BuildRef, seq: number) => `${project(id)}/builds/${build}#${seq}`,
  /** A line of a changed file. */
  changedLine: (id: string, build: BuildRef, file: string, line: number) =>
    `${project(id)}/builds/${build}?${new URLSearchParams({ tab: "changes", file, line: `R${line}` })}`,
  /** A file or the whole tree of the branch at a commit. */
  buildFile: (id: string, build: BuildRef, commit: string, path = "") =>
    `${project(id)}/builds/${build}/files/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`,
  /** The same in a build under review. */
  reviewFile: (build: string, commit: string, path = "") =>
    `/reviews/${build}/files/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`,
  requirements: (id: string) => `${project(id)}/requirements`,
  backlog: (id: string) => `${project(id)}/backlog`,
  errors: (id: string) => `${project(id)}/errors`,
  report: (build: string) => `/api/builds/${build}/report`,
  /** An image in a build, or in a build under review. */
  picture: (
    of: "builds" | "reviews",
    build: string,
    side: "old" | "new",
    path: string,
    commit: string | null = null,
  ) => {
    const query = new URLSearchParams({ side, path, ...(commit && { commit }) });
    return `/api/${of}/${build}/picture?${query}`;
  },
  bundle: (build: string) => `/api/builds/${build}/bundle`,
  repository: (id: string) => `/git/${slugOf(id)}.git`,
};

/** After signing in, redirects only to paths of this app. */
export function safeReturnPath(value: string | null): string {
  return value?.startsWith("/") && !value.startsWith("//") && !value.startsWith("/\\")
    ? value
    : "/";
}
