// The files of a build's branch at one of its commits.
import { useQuery } from "@tanstack/react-query";
import { fetchFile } from "@/domain/changes/change-source";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

/** A commit does not change, so its files are fetched once. */
const staleTime = Number.POSITIVE_INFINITY;

/** A commit of the user's own build, or of a build under review. */
export interface TreeSource {
  of: "builds" | "reviews";
  build: string;
  commit: string;
}

export function useTree({ of, build, commit }: TreeSource) {
  return useQuery({
    queryKey: keys.tree(build, commit),
    queryFn: () => {
      const params = { path: { build }, query: { commit } };
      return of === "builds"
        ? unwrap(api.GET("/api/builds/{build}/tree", { params }))
        : unwrap(api.GET("/api/reviews/{build}/tree", { params }));
    },
    staleTime,
  });
}

export function useTreeFile(source: TreeSource, path: string) {
  return useQuery({
    queryKey: keys.treeFile(source.build, source.commit, path),
    queryFn: () => fetchFile(source, path),
    enabled: path !== "",
    staleTime,
  });
}
