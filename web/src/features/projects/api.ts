import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type ProjectSettings, type Schemas, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";

export function useProjects() {
  return useQuery({
    queryKey: keys.projects,
    queryFn: async () => ({
      items: await fetchAllPages((query) =>
        unwrap(api.GET("/api/projects", { params: { query } })),
      ),
    }),
    refetchInterval: 15_000,
    // Polled in hidden tabs too, for the number of questions in the title.
    refetchIntervalInBackground: true,
  });
}

export function useProject(project: string) {
  return useQuery({
    queryKey: keys.project(project),
    queryFn: () => unwrap(api.GET("/api/projects/{project}", { params: { path: { project } } })),
  });
}

export function useCreateProject() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateProjectRequest"]) =>
      unwrap(api.POST("/api/projects", { body })),
    onSuccess: (project) => {
      client.setQueryData(keys.project(project.id), project);
      return client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}

export function useSettings(project: string) {
  return useQuery({
    queryKey: keys.settings(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/settings", { params: { path: { project } } })),
  });
}

/** Gates suggested by the repository; refetched whenever the settings are opened. */
export function useDetectedGates(project: string) {
  return useQuery({
    queryKey: keys.detectedGates(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/gates/detected", { params: { path: { project } } })),
  });
}

export function useSaveSettings(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ProjectSettings) =>
      unwrap(api.PUT("/api/projects/{project}/settings", { params: { path: { project } }, body })),
    onSuccess: (saved) => client.setQueryData(keys.settings(project), saved),
  });
}

/** Rules beyond the project's own; they change only with the installation. */
export function usePermissionRules(project: string) {
  return useQuery({
    queryKey: [...keys.project(project), "permissions"],
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/permissions", { params: { path: { project } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useTryPermission(project: string) {
  return useMutation({
    mutationFn: (body: Schemas["TryPermissionRequest"]) =>
      unwrap(
        api.POST("/api/projects/{project}/permissions/try", {
          params: { path: { project } },
          body,
        }),
      ),
  });
}

export function useViewers(project: string) {
  return useQuery({
    queryKey: keys.viewers(project),
    queryFn: async () =>
      (await unwrap(api.GET("/api/projects/{project}/viewers", { params: { path: { project } } })))
        .items,
  });
}

export function useAddViewer(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (email: string) =>
      unwrap(
        api.POST("/api/projects/{project}/viewers", {
          params: { path: { project } },
          body: { email },
        }),
      ),
    onSuccess: ({ items }) => client.setQueryData(keys.viewers(project), items),
  });
}

export function useRemoveViewer(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (user: string) =>
      unwrap(
        api.DELETE("/api/projects/{project}/viewers/{user}", {
          params: { path: { project, user } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.viewers(project) }),
  });
}
