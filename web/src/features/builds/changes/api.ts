// Commits of a build.
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useCommits(build: string) {
  return useQuery({
    queryKey: keys.commits(build),
    queryFn: async () =>
      (await unwrap(api.GET("/api/builds/{build}/commits", { params: { path: { build } } }))).items,
  });
}
