// The pages of the app, by the pattern of their address. Their code is loaded on demand.
type Load = () => Promise<{ default: React.ComponentType }>;

export const PAGES = {
  "/": () => import("./routes/projects"),
  "/setup": () => import("./routes/setup"),
  "/welcome": () => import("./routes/welcome"),
  "/sign-in": () => import("./routes/sign-in"),
  "/projects/:project": () => import("./routes/project"),
  "/projects/:project/builds": () => import("./routes/builds"),
  "/projects/:project/builds/:build": () => import("./routes/build"),
  "/projects/:project/builds/:build/files/:commit/*": () => import("./routes/build-files"),
  "/projects/:project/compare": () => import("./routes/compare"),
  "/projects/:project/contracts/:type?": () => import("./routes/contracts"),
  "/projects/:project/questionnaire/:step?": () => import("./routes/questionnaire"),
  "/projects/:project/requirements": () => import("./routes/requirements"),
  "/projects/:project/backlog": () => import("./routes/backlog"),
  "/projects/:project/errors": () => import("./routes/errors"),
  "/projects/:project/settings": () => import("./routes/project-settings"),
  "/builds": () => import("./routes/all-builds"),
  "/backlog": () => import("./routes/all-backlogs"),
  "/inbox": () => import("./routes/inbox"),
  "/questions": () => import("./routes/questions"),
  "/reviews": () => import("./routes/reviews"),
  "/reviews/:buildId": () => import("./routes/review"),
  "/reviews/:buildId/files/:commit/*": () => import("./routes/review-files"),
  "/audit-log": () => import("./routes/audit-log"),
  "/users": () => import("./routes/users"),
  "/settings": () => import("./routes/installation-settings"),
  "/account": () => import("./routes/account"),
  "/device": () => import("./routes/device"),
} satisfies Record<string, Load>;

export type PagePattern = keyof typeof PAGES;

/** What loads the page at an address, before the router has arrived. */
export function pageAt(pathname: string): Load | undefined {
  const entry = Object.entries(PAGES).find(([pattern]) => expressionOf(pattern).test(pathname));
  return entry?.[1];
}

const expressionOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/\/:\w+\?/g, "(/[^/]+)?")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}/?$`,
  );
