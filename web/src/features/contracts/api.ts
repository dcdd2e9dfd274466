// The nine contracts of a project.
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useContracts(project: string) {
  return useQuery({
    queryKey: keys.contracts(project),
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/projects/{project}/contracts", { params: { path: { project } } }),
        )
      ).items,
  });
}

export function useContract(project: string, type: string) {
  return useQuery({
    queryKey: keys.contract(project, type),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/contracts/{type}", {
          params: { path: { project, type } },
        } as never),
      ),
  });
}
