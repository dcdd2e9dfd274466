// What a build of the project would start with, and what prevents it.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export const buildReadiness = (project: string) =>
  queryOptions({
    queryKey: keys.buildReadiness(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/build-readiness", { params: { path: { project } } })),
    // Contracts, settings and keys change elsewhere.
    staleTime: 0,
  });

export const useBuildReadiness = (project: string, enabled = true) =>
  useQuery({ ...buildReadiness(project), enabled });
