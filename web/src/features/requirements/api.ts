import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type ProjectRequirements = Schemas["ProjectRequirements"];
export type ProjectRequirement = Schemas["ProjectRequirement"];

export function useRequirements(project: string) {
  return useQuery({
    queryKey: keys.requirements(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/requirements", { params: { path: { project } } })),
  });
}

export type RequirementChange =
  | { kind: "confirm"; id: string }
  | { kind: "reword"; id: string; text: string }
  | { kind: "remove"; id: string };

/** Each change writes a new version of the blueprint, based on the version that was read. */
export function useChangeRequirement(project: string, version: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: RequirementChange) => {
      const path = { project, requirement: change.id };
      const url = "/api/projects/{project}/requirements/{requirement}";
      if (change.kind === "remove") {
        return unwrap(api.DELETE(url, { params: { path, query: { version } } }));
      }
      const text = change.kind === "reword" ? { text: change.text } : {};
      return unwrap(api.PATCH(url, { params: { path }, body: { version, ...text } }));
    },
    onSuccess: (changed) => {
      client.setQueryData(keys.requirements(project), changed);
      return client.invalidateQueries({ queryKey: keys.contracts(project) });
    },
    // Another version may have been written in the meantime.
    onError: () => client.invalidateQueries({ queryKey: keys.requirements(project) }),
  });
}
