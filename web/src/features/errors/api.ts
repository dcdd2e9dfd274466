// The errors of a build.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
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

export function useDismissError(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (error: string) =>
      unwrap(
        api.POST("/api/builds/{build}/errors/{error}/dismiss", {
          params: { path: { build, error } },
        }),
      ),
    onSuccess: (dismissed) => {
      client.setQueryData<BuildError[]>(keys.errors(build), (errors) =>
        errors?.map((error) => (error.id === dismissed.id ? dismissed : error)),
      );
      client.invalidateQueries({ queryKey: keys.build(build) });
    },
  });
}
