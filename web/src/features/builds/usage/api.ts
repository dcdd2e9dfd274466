import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useUsage(build: string) {
  return useQuery({
    queryKey: keys.usage(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}/usage", { params: { path: { build } } })),
  });
}
