// What a build of the project would start with, and what prevents it.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, type StartChoices, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export const buildReadiness = (project: string, choices: StartChoices = {}) =>
  queryOptions({
    queryKey: keys.buildReadiness(project, choices),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/build-readiness", {
          params: { path: { project }, query: queryOf(choices) },
        }),
      ),
    // Contracts, settings and keys change elsewhere.
    staleTime: 0,
  });

/** Previous results stay visible while choices change. */
export const useBuildReadiness = (project: string, enabled = true, choices: StartChoices = {}) =>
  useQuery({ ...buildReadiness(project, choices), enabled, placeholderData: (before) => before });

/** Without what is not chosen. */
function queryOf({ models, ...choices }: StartChoices) {
  const chosen = Object.entries({ ...choices, ...models }).filter(([, value]) => value != null);
  return Object.fromEntries(chosen.filter(([, value]) => value !== ""));
}
