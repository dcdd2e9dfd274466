// Commits and diffs of a build.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { fileDiffOf, summaryOf } from "@/lib/diff-response";
import { keys } from "@/lib/query-keys";

export function useCommits(build: string) {
  return useQuery({
    queryKey: keys.commits(build),
    queryFn: async () =>
      (await unwrap(api.GET("/api/builds/{build}/commits", { params: { path: { build } } }))).items,
  });
}

export function useChangedFiles(build: string, commit: string | null) {
  return useQuery({
    queryKey: keys.diffFiles(build, commit),
    queryFn: async () => {
      const query = commit ? { commit } : {};
      const summary = await unwrap(
        api.GET("/api/builds/{build}/diff", { params: { path: { build }, query } }),
      );
      return summaryOf(summary);
    },
    placeholderData: keepPreviousData,
  });
}

export function useFileDiff(build: string, commit: string | null, path: string) {
  return useQuery({
    queryKey: keys.diffFile(build, commit, path),
    queryFn: async () => {
      const query = commit ? { commit, path } : { path };
      const diff = await unwrap(
        api.GET("/api/builds/{build}/diff", { params: { path: { build }, query } }),
      );
      return fileDiffOf(diff);
    },
  });
}
