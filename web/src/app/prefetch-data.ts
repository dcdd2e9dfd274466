// Loads the data of a page before the page asks for it.
import type { QueryClient } from "@tanstack/react-query";
import { matchPath } from "react-router";
import { buildIdQuery, buildsQuery } from "@/features/builds/api";
import { contractsQuery } from "@/features/contracts/api";
import { projectIdQuery, projectsQuery } from "@/features/projects/api";
import { paths } from "@/lib/paths";

/** What a page of a project shows first; other pages load their own data. */
const DATA: Record<string, ((client: QueryClient, project: string) => unknown)[]> = {
  "": [
    (client, project) => client.prefetchQuery(buildsQuery(project)),
    (client, project) => client.prefetchQuery(contractsQuery(project)),
  ],
  builds: [(client, project) => client.prefetchQuery(buildsQuery(project))],
  contracts: [(client, project) => client.prefetchQuery(contractsQuery(project))],
};

/** Data that is fresh is not loaded again. Failures are left to the page. */
export async function prefetchData(client: QueryClient, pathname: string): Promise<void> {
  if (pathname === paths.home) return client.prefetchQuery(projectsQuery);
  const match = matchPath("/projects/:project/:page?/:part?", pathname)?.params;
  if (!match?.project) return;
  const id = await client.fetchQuery(projectIdQuery(client, match.project)).catch(() => null);
  if (id === null) return;
  const { page = "", part } = match;
  if (page === "builds" && part) return client.prefetchQuery(buildIdQuery(client, id, part));
  for (const load of DATA[page] ?? []) load(client, id);
}
