// Errors of a build, and of all builds of a project.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type BuildError, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

const fetchErrors = (build: string): Promise<BuildError[]> =>
  fetchAllPages((query) =>
    unwrap(api.GET("/api/builds/{build}/errors", { params: { path: { build }, query } })),
  );

export function useErrors(build: string) {
  return useQuery({
    queryKey: keys.errors(build),
    queryFn: () => fetchErrors(build),
  });
}

/** A reason dismisses an error; without one, it is reopened. */
export interface ErrorChange {
  error: string;
  reason?: string;
}

/** Dismisses or reopens an error. */
export function useChangeError(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ error, reason }: ErrorChange) => {
      const params = { path: { build, error } };
      return unwrap(
        reason === undefined
          ? api.POST("/api/builds/{build}/errors/{error}/reopen", { params })
          : api.POST("/api/builds/{build}/errors/{error}/dismiss", { params, body: { reason } }),
      );
    },
    onSuccess: (settled) => {
      storeResponse<BuildError[]>(client, keys.errors(build), (errors) =>
        errors?.map((error) => (error.id === settled.id ? settled : error)),
      );
      client.invalidateQueries({ queryKey: keys.build(build) });
    },
  });
}

export interface ErrorFilter {
  q?: string;
  resolved?: boolean;
  dismissed?: boolean;
  regression?: boolean;
}

/** Errors of all builds of a project, without duplicates. */
export function useProjectErrors(project: string, filter: ErrorFilter) {
  return useInfiniteQuery({
    queryKey: keys.projectErrors(project, filter),
    queryFn: ({ pageParam }) => {
      const query = { ...filter, limit: 100, ...(pageParam && { after: pageParam }) };
      const params = { path: { project }, query };
      return unwrap(api.GET("/api/projects/{project}/errors", { params }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    // Previous results stay visible while new ones are loaded.
    placeholderData: (before) => before,
  });
}
