// Two builds of a project, compared.
import { useQuery } from "@tanstack/react-query";
import { isFinal } from "@/domain/build-status";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type BuildComparison = Schemas["BuildComparison"];
export type ComparedBuild = Schemas["ComparedBuild"];

export function useComparison(project: string, from: number, to: number) {
  return useQuery({
    queryKey: keys.comparison(project, from, to),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/compare", {
          params: { path: { project }, query: { from, to } },
        }),
      ),
    // As often as a build that is not finished.
    refetchInterval: ({ state: { data } }) =>
      data && !(isFinal(data.from.status) && isFinal(data.to.status)) ? 10_000 : false,
  });
}
