// The errors of a build, and those of all builds of a project.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type BuildError, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useErrors(build: string) {
  return useQuery({
    queryKey: keys.errors(build),
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/builds/{build}/errors", {
            params: { path: { build }, query: { limit: 200 } } as never,
          }),
        )
      ).items,
  });
}

/** Dismisses an error, or takes that back. */
export function useSettleError(build: string, how: "dismiss" | "reopen") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (error: string) =>
      unwrap(
        api.POST(`/api/builds/{build}/errors/{error}/${how}`, {
          params: { path: { build, error } },
        }),
      ),
    onSuccess: (settled) => {
      client.setQueryData<BuildError[]>(keys.errors(build), (errors) =>
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

/** The errors of all builds of a project, each distinct one once. */
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
    // What was found before stays until the answer to the next words is there.
    placeholderData: (before) => before,
  });
}
