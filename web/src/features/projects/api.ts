import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, type Project, type ProjectSettings, type Schemas, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { rememberSlugs } from "@/lib/paths";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

export const projectsQuery = queryOptions({
  queryKey: keys.projects,
  queryFn: () => fetchProjects(false),
});

export function useProjects(enabled = true) {
  return useQuery({
    ...projectsQuery,
    enabled,
    refetchInterval: 15_000,
    // Polled in hidden tabs too, for the number of questions in the title.
    refetchIntervalInBackground: true,
  });
}

export function useArchivedProjects() {
  return useQuery({ queryKey: keys.archivedProjects, queryFn: () => fetchProjects(true) });
}

async function fetchProjects(archived: boolean) {
  const items = await fetchAllPages((query) =>
    unwrap(api.GET("/api/projects", { params: { query: { ...query, archived } } })),
  );
  rememberSlugs(items);
  return { items };
}

/** Stores a project, and its id for addresses with its slug: a page stays when its address changes. */
function storeProject(client: QueryClient, project: Project) {
  rememberSlugs([project]);
  client.setQueryData(keys.project(project.id), project);
  client.setQueryData(keys.projectSlug(project.slug), project.id);
}

async function fetchProject(project: string) {
  const found = await unwrap(api.GET("/api/projects/{project}", { params: { path: { project } } }));
  rememberSlugs([found]);
  return found;
}

const projectQuery = (project: string) =>
  queryOptions({ queryKey: keys.project(project), queryFn: () => fetchProject(project) });

export const useProject = (project: string) => useQuery(projectQuery(project));

/** The id of a project, from its id or slug in an address. */
export const projectIdQuery = (client: QueryClient, ref: string) =>
  queryOptions({
    queryKey: keys.projectSlug(ref),
    queryFn: async () => {
      const project = await fetchProject(ref);
      storeProject(client, project);
      return project.id;
    },
    initialData: () => {
      const known = client.getQueryData<{ items: Project[] }>(keys.projects)?.items;
      return known?.find(({ id, slug }) => id === ref || slug === ref)?.id;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useProjectId = (ref: string) => useQuery(projectIdQuery(useQueryClient(), ref));

/** The project at an address, if there is one and it has been loaded. */
export function useProjectNamed(ref: string | undefined): Project | undefined {
  const client = useQueryClient();
  const id = useQuery({ ...projectIdQuery(client, ref ?? ""), enabled: ref !== undefined }).data;
  return useQuery({ ...projectQuery(id ?? ""), enabled: id !== undefined }).data;
}

function useChangedProject() {
  const client = useQueryClient();
  return (project: Project) => {
    storeProject(client, project);
    return client.invalidateQueries({ queryKey: keys.projects });
  };
}

export function useUpdateProject(project: string) {
  return useMutation({
    mutationFn: (body: Schemas["UpdateProjectRequest"]) =>
      unwrap(api.PATCH("/api/projects/{project}", { params: { path: { project } }, body })),
    onSuccess: useChangedProject(),
  });
}

export function useArchiveProject(project: string) {
  return useMutation({
    mutationFn: (archived: boolean) => {
      const params = { path: { project } };
      return unwrap(
        archived
          ? api.POST("/api/projects/{project}/archive", { params })
          : api.POST("/api/projects/{project}/unarchive", { params }),
      );
    },
    onSuccess: useChangedProject(),
  });
}

export function useTransferProject(project: string) {
  return useMutation({
    mutationFn: (email: string) =>
      unwrap(
        api.POST("/api/projects/{project}/transfer", {
          params: { path: { project } },
          body: { email },
        }),
      ),
    onSuccess: useChangedProject(),
  });
}

export function useDeleteProject(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/api/projects/{project}", { params: { path: { project } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.projects }),
  });
}

export function useCreateProject() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateProjectRequest"]) =>
      unwrap(api.POST("/api/projects", { body })),
    onSuccess: (project) => {
      storeProject(client, project);
      return client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}

/** The spec of a project, or null. */
export function useSpec(project: string) {
  return useQuery({
    queryKey: keys.spec(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/spec", { params: { path: { project } } })).then(
        (spec) => ({ spec }),
        (error) => {
          if (isStatus(error, 404)) return { spec: null };
          throw error;
        },
      ),
  });
}

/** What may be a spec in the repository. */
export function useSpecDocuments(project: string) {
  return useQuery({
    queryKey: keys.specDocuments(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/spec/documents", { params: { path: { project } } })),
    // Pushes change it.
    staleTime: 0,
  });
}

export function useReadSpec(project: string) {
  return useMutation({
    mutationFn: (path: string) =>
      unwrap(
        api.GET("/api/projects/{project}/spec/documents/text", {
          params: { path: { project }, query: { path } },
        }),
      ),
  });
}

export function useReadIssue(project: string) {
  return useMutation({
    mutationFn: (issue: string) =>
      unwrap(
        api.POST("/api/projects/{project}/spec/issue", {
          params: { path: { project } },
          body: { issue },
        }),
      ),
  });
}

/** What is read in a spec. The newest result stays until the next one is there. */
export function useSpecReport(text: string) {
  return useQuery({
    queryKey: keys.specReport(text),
    queryFn: () => unwrap(api.POST("/api/specs/validate", { body: { text } })),
    enabled: text.trim() !== "",
    placeholderData: (previous) => previous,
    // Texts are long, and few are read again.
    gcTime: 10_000,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSubmitSpec() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ project, ...body }: { project: string } & Schemas["UpdateSpecRequest"]) =>
      unwrap(api.POST("/api/projects/{project}/spec", { params: { path: { project } }, body })),
    onSuccess: (_, { project }) => client.invalidateQueries({ queryKey: keys.project(project) }),
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
    onSuccess: (saved) => storeResponse(client, keys.settings(project), saved),
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
    onSuccess: ({ items }) => storeResponse(client, keys.viewers(project), items),
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
