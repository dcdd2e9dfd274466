// What a build can start from.
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";

export function useBranches(project: string) {
  return useQuery({
    queryKey: keys.branches(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/branches", { params: { path: { project } } })),
    staleTime: 0,
  });
}

/** The snapshots of the project's builds, newest first; each one once. */
export function useSnapshots(project: string) {
  return useQuery({
    queryKey: keys.snapshots(project),
    queryFn: () =>
      fetchAllPages((query) =>
        unwrap(
          api.GET("/api/projects/{project}/contracts/snapshots", {
            params: { path: { project }, query },
          }),
        ),
      ),
    select: (snapshots) => [...new Map(snapshots.map((one) => [one.id, one])).values()],
    staleTime: 0,
  });
}
