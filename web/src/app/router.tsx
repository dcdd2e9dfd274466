// The route table. Pages load when they are first visited.
import { createBrowserRouter, type RouteObject } from "react-router";
import { paths } from "@/lib/paths";
import { AppLayout } from "./app-layout";
import { PageLoading } from "./page-loading";
import { RequireSession } from "./require-session";
import { RouteError } from "./route-error";

const page =
  (load: () => Promise<{ default: React.ComponentType }>): RouteObject["lazy"] =>
  async () => ({
    Component: (await load()).default,
  });

export const router = createBrowserRouter([
  {
    ErrorBoundary: RouteError,
    HydrateFallback: PageLoading,
    children: [
      { path: paths.setup, lazy: page(() => import("./routes/setup")) },
      { path: paths.welcome, lazy: page(() => import("./routes/welcome")) },
      { path: "/sign-in", lazy: page(() => import("./routes/sign-in")) },
      {
        element: (
          <RequireSession>
            <AppLayout />
          </RequireSession>
        ),
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: page(() => import("./routes/projects")) },
          {
            path: "/projects/:projectId",
            lazy: page(() => import("./routes/project")),
            children: [{ path: "builds/:buildId", lazy: page(() => import("./routes/build-ide")) }],
          },
          {
            path: "/projects/:projectId/questionnaire/:step?",
            lazy: page(() => import("./routes/questionnaire")),
          },
          {
            path: "/projects/:projectId/contracts/:type?",
            lazy: page(() => import("./routes/contracts")),
          },
          { path: paths.questions, lazy: page(() => import("./routes/questions")) },
          { path: paths.errors(":projectId"), lazy: page(() => import("./routes/errors")) },
          { path: paths.reviews, lazy: page(() => import("./routes/reviews")) },
          { path: paths.review(":buildId"), lazy: page(() => import("./routes/review")) },
          { path: paths.auditLog, lazy: page(() => import("./routes/audit-log")) },
          { path: paths.account, lazy: page(() => import("./routes/account")) },
          { path: paths.users, lazy: page(() => import("./routes/users")) },
          { path: "*", lazy: page(() => import("./routes/not-found")) },
        ],
      },
    ],
  },
]);
