// The route table. Pages are loaded on demand.
import { createBrowserRouter, Outlet, type RouteObject } from "react-router";
import { AppLayout } from "./app-layout";
import { PageLoading } from "./page-loading";
import { PAGES, type PagePattern } from "./pages";
import { ProjectLayout } from "./project/project-layout";
import { RequireAdmin } from "./require-admin";
import { RequireSession } from "./require-session";
import { RouteError } from "./route-error";
import NotFoundPage from "./routes/not-found";

const page = (path: PagePattern, handle?: { fillsScreen: true }): RouteObject => ({
  path,
  ...(handle && { handle }),
  lazy: async () => ({ Component: (await PAGES[path]()).default }),
});

/** Pages that use the whole window. */
const FULL = { fillsScreen: true } as const;

const NOT_FOUND: RouteObject = { path: "*", Component: NotFoundPage };

export const routes: RouteObject[] = [
  {
    errorElement: (
      <main style={{ paddingTop: "15vh" }}>
        <RouteError />
      </main>
    ),
    HydrateFallback: PageLoading,
    children: [
      page("/setup"),
      page("/welcome"),
      page("/sign-in"),
      {
        element: (
          <RequireSession>
            <Outlet />
          </RequireSession>
        ),
        children: [page("/device")],
      },
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
              page("/"),
              {
                path: "/projects/:project",
                Component: ProjectLayout,
                children: [
                  page("/projects/:project"),
                  page("/projects/:project/builds"),
                  page("/projects/:project/builds/:build", FULL),
                  page("/projects/:project/builds/:build/files/:commit/*", FULL),
                  page("/projects/:project/compare"),
                  page("/projects/:project/contracts/:type?"),
                  page("/projects/:project/questionnaire/:step?"),
                  page("/projects/:project/requirements"),
                  page("/projects/:project/backlog"),
                  page("/projects/:project/errors"),
                  page("/projects/:project/settings"),
                  NOT_FOUND,
                ],
              },
              page("/builds"),
              page("/backlog"),
              page("/inbox"),
              page("/questions"),
              {
                element: (
                  <RequireAdmin>
                    <Outlet />
                  </RequireAdmin>
                ),
                children: [
                  page("/reviews"),
                  page("/reviews/:buildId", FULL),
                  page("/reviews/:buildId/files/:commit/*", FULL),
                  page("/audit-log"),
                  page("/users"),
                  page("/settings"),
                ],
              },
              page("/account"),
              NOT_FOUND,
            ],
          },
        ],
      },
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
