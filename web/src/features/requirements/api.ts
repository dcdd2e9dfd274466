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

/** In characters. */
const MAX_TITLE_LENGTH = 120;

/** Adds an item to the backlog for each requirement, unless there is one. Returns how many are new. */
export function useAddToBacklog(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (requirements: ProjectRequirement[]) => {
      let added = 0;
      for (const { id, text } of requirements) {
        const title = `${id}: ${text.replace(/\s+/g, " ")}`;
        const { response } = await api.POST("/api/projects/{project}/backlog", {
          params: { path: { project } },
          body: {
            title:
              title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title,
            description: `Implement the requirement ${id} of the blueprint:\n\n${text}`,
            external_id: `requirement/${id}`,
          },
        });
        if (response.status === 201) added += 1;
      }
      return added;
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.backlog(project) }),
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
