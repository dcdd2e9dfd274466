// Changed files of a build: the owner's own build, or a build under review.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type DiffFile, unwrap } from "@/lib/api";
import { fileDiffOf, summaryOf } from "@/lib/diff-response";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { keys } from "@/lib/query-keys";
import { isViewed } from "./viewed";

export interface ChangeSource {
  of: "builds" | "reviews";
  build: string;
  /** Null for all changes since the baseline. */
  commit: string | null;
  /** Another build of the project, whose newest commit is compared with that of this one. */
  since?: { project: string; build: string; from: number; to: number };
}

interface DiffQuery {
  commit?: string;
  path?: string;
  ignore_whitespace?: boolean;
}

const fetchDiff = ({ of, build, commit, since }: ChangeSource, query: DiffQuery) => {
  if (since) {
    const { project, from, to } = since;
    const params = { path: { project }, query: { ...query, from, to } };
    return unwrap(api.GET("/api/projects/{project}/compare/diff", { params }));
  }
  const params = { path: { build }, query: { ...query, ...(commit && { commit }) } };
  return of === "builds"
    ? unwrap(api.GET("/api/builds/{build}/diff", { params }))
    : unwrap(api.GET("/api/reviews/{build}/diff", { params }));
};

/** What the changes are since, for keys of the cache. */
const versionOf = ({ commit, since }: ChangeSource) => (since ? `since-${since.from}` : commit);

/** The address of an image on one side of the changes. */
export function pictureOf(source: ChangeSource, side: "old" | "new", path: string): string {
  const { of, build, commit, since } = source;
  if (!since) return paths.picture(of, build, side, path, commit);
  return paths.picture(of, side === "old" ? since.build : build, "new", path);
}

export function useChangedFiles(source: ChangeSource) {
  return useQuery({
    queryKey: keys.diffFiles(source.build, versionOf(source)),
    queryFn: async () => summaryOf(await fetchDiff(source, {})),
    placeholderData: keepPreviousData,
  });
}

export function useFileDiff(
  source: ChangeSource,
  { path, content_id }: DiffFile,
  ignoreWhitespace: boolean,
  enabled: boolean,
) {
  return useQuery({
    queryKey: keys.diffFile(source.build, versionOf(source), path, content_id, ignoreWhitespace),
    queryFn: async () =>
      fileDiffOf(
        await fetchDiff(source, { path, ...(ignoreWhitespace && { ignore_whitespace: true }) }),
      ),
    enabled,
  });
}

/** A file as it is after the change. */
export function useFileText(
  source: ChangeSource,
  { path, content_id }: DiffFile,
  enabled: boolean,
) {
  return useQuery({
    queryKey: keys.fileText(source.build, source.commit, path, content_id),
    queryFn: () => fetchFile(source, path),
    enabled,
  });
}

export function fetchFile({ of, build, commit }: ChangeSource, path: string) {
  const params = { path: { build }, query: { path, ...(commit && { commit }) } };
  return of === "builds"
    ? unwrap(api.GET("/api/builds/{build}/file", { params }))
    : unwrap(api.GET("/api/reviews/{build}/file", { params }));
}

/** The files that the user has viewed, by path, with the content that they saw. */
export function useViewedFiles({ of, build, since }: ChangeSource) {
  const client = useQueryClient();
  const queryKey = keys.viewedFiles(build);
  const params = { path: { build } };
  const { data } = useQuery({
    queryKey,
    queryFn: async () => {
      const list =
        of === "builds"
          ? await unwrap(api.GET("/api/builds/{build}/viewed-files", { params }))
          : await unwrap(api.GET("/api/reviews/{build}/viewed-files", { params }));
      return list.items;
    },
    enabled: !since,
  });
  const mark = useMutation({
    mutationFn: (body: { path: string; content_id: string; viewed: boolean }) => {
      // The change is shown at once, so that the page may be left before the request has ended.
      const request = { params, body, keepalive: true };
      return of === "builds"
        ? unwrap(api.PUT("/api/builds/{build}/viewed-files", request))
        : unwrap(api.PUT("/api/reviews/{build}/viewed-files", request));
    },
    onMutate: async ({ path, content_id, viewed }) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData<typeof data>(queryKey, (before = []) => [
        ...before.filter((file) => file.path !== path),
        ...(viewed ? [{ path, content_id }] : []),
      ]);
    },
    onError: (error) => notifyFailed("Could not save what you have viewed", error),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const seen = new Map(since ? [] : data?.map(({ path, content_id }) => [path, content_id]));
  return {
    seen,
    isViewed: (file: DiffFile) => isViewed(file, seen),
    setViewed: ({ path, content_id }: DiffFile, viewed: boolean) => {
      if (content_id) mark.mutate({ path, content_id, viewed });
    },
  };
}
