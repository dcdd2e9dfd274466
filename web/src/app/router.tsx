// The route table. Pages are loaded on demand.
import { createBrowserRouter, Outlet, type RouteObject } from "react-router";
import { paths } from "@/lib/paths";
import { AppLayout } from "./app-layout";
import { PageLoading } from "./page-loading";
import { RequireAdmin } from "./require-admin";
import { RequireSession } from "./require-session";
import { RouteError } from "./route-error";

const page =
  (load: () => Promise<{ default: React.ComponentType }>): RouteObject["lazy"] =>
  async () => ({
    Component: (await load()).default,
  });

export const routes: RouteObject[] = [
  {
    errorElement: (
      <main style={{ paddingTop: "15vh" }}>
        <RouteError />
      </main>
    ),
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
        children: [
          {
            // Inside the layout, so that the header stays visible.
            ErrorBoundary: RouteError,
            children: [
              { index: true, lazy: page(() => import("./routes/projects")) },
              {
                path: "/projects/:projectId",
                lazy: page(() => import("./routes/project")),
                children: [{ path: "builds/:buildId", lazy: page(() => import("./routes/build")) }],
              },
              {
                path: "/projects/:projectId/questionnaire/:step?",
                lazy: page(() => import("./routes/questionnaire")),
              },
              {
                path: "/projects/:projectId/contracts/:type?",
                lazy: page(() => import("./routes/contracts")),
              },
              {
                path: paths.requirements(":projectId"),
                lazy: page(() => import("./routes/requirements")),
              },
              { path: paths.questions, lazy: page(() => import("./routes/questions")) },
              { path: paths.errors(":projectId"), lazy: page(() => import("./routes/errors")) },
              {
                element: (
                  <RequireAdmin>
                    <Outlet />
                  </RequireAdmin>
                ),
                children: [
                  { path: paths.reviews, lazy: page(() => import("./routes/reviews")) },
                  { path: paths.review(":buildId"), lazy: page(() => import("./routes/review")) },
                  { path: paths.auditLog, lazy: page(() => import("./routes/audit-log")) },
                  { path: paths.users, lazy: page(() => import("./routes/users")) },
                  {
                    path: paths.installationSettings,
                    lazy: page(() => import("./routes/installation-settings")),
                  },
                ],
              },
              { path: paths.account, lazy: page(() => import("./routes/account")) },
              { path: "*", lazy: page(() => import("./routes/not-found")) },
            ],
          },
        ],
      },
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
