// All URLs of the app.
export type ContractView = "document" | "picture" | "text" | "history" | "edit";
export type BuildTab =
  | "activity"
  | "changes"
  | "requirements"
  | "errors"
  | "usage"
  | "plan"
  | "seal";

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
  questions: "/questions",
  project: (id: string) => `/projects/${id}`,
  projectSettings: (id: string) => `/projects/${id}?view=settings`,
  /** `step` is a section or `review`; by default the first incomplete section. */
  questionnaire: (id: string, step?: string, question?: string) =>
    `/projects/${id}/questionnaire${step ? `/${step}` : ""}${question ? `#${question}` : ""}`,
  conversation: (id: string) => `/projects/${id}/questionnaire/conversation`,
  contracts: (id: string) => `/projects/${id}/contracts`,
  contract: (id: string, type: string, view?: ContractView) =>
    `/projects/${id}/contracts/${type}${view ? `?view=${view}` : ""}`,
  contractLine: (id: string, type: string, line: number) =>
    `/projects/${id}/contracts/${type}?view=text&line=${line}`,
  build: (project: string, build: string, tab?: BuildTab) =>
    `/projects/${project}/builds/${build}${tab ? `?tab=${tab}` : ""}`,
  /** An event in a build's activity. */
  event: (project: string, build: string, seq: number) =>
    `/projects/${project}/builds/${build}#${seq}`,
  requirements: (id: string) => `/projects/${id}/requirements`,
  errors: (id: string) => `/projects/${id}/errors`,
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
  repository: (project: string) => `/git/${project}.git`,
};

/** After signing in, redirects only to paths of this app. */
export function safeReturnPath(value: string | null): string {
  return value?.startsWith("/") && !value.startsWith("//") && !value.startsWith("/\\")
    ? value
    : "/";
}
