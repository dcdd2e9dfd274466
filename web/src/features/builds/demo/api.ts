import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type DemoSpeed, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useDemoSpeed(build: string) {
  return useQuery({
    queryKey: keys.demoSpeed(build),
    queryFn: () =>
      unwrap(api.GET("/api/builds/{build}/demo-speed", { params: { path: { build } } })),
  });
}

export function useSetDemoSpeed(build: string) {
  const client = useQueryClient();
  const queryKey = keys.demoSpeed(build);
  return useMutation({
    mutationFn: (speed: DemoSpeed) =>
      unwrap(
        api.PUT("/api/builds/{build}/demo-speed", {
          params: { path: { build } },
          body: { speed },
        }),
      ),
    onMutate: async (speed) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, { speed });
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
