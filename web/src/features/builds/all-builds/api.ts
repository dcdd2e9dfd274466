// The builds of all projects that the user may view.
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type BuildGroup = Schemas["BuildGroup"];
export type ListedBuild = Schemas["ListedBuild"];
export type Heartbeat = NonNullable<ListedBuild["heartbeat"]>;

export interface BuildsFilter {
  group: BuildGroup | null;
  /** The slug or id of a project. */
  project: string | null;
}

/** As often as the list of one project is refetched while it builds, and otherwise as the inbox. */
const WHILE_UNFINISHED_MS = 5_000;
const OTHERWISE_MS = 15_000;

const allBuilds = ({ group, project }: BuildsFilter) =>
  infiniteQueryOptions({
    queryKey: keys.allBuilds(group, project),
    queryFn: ({ pageParam }) => {
      const query = {
        ...(group && { group }),
        ...(project && { project }),
        ...(pageParam && { after: pageParam }),
      };
      return unwrap(api.GET("/api/builds", { params: { query } }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const counts = state.data?.pages[0]?.counts;
      const unfinished = counts && counts.needs_answer + counts.running + counts.queued > 0;
      return unfinished ? WHILE_UNFINISHED_MS : OTHERWISE_MS;
    },
  });

/** The first page, also while the tab is hidden, for notifications. */
export const useWatchedBuilds = (enabled: boolean) =>
  useQuery({
    queryKey: keys.watchedBuilds,
    queryFn: () => unwrap(api.GET("/api/builds")),
    enabled,
    refetchInterval: OTHERWISE_MS,
    refetchIntervalInBackground: true,
  });

export const useAllBuilds = (filter: BuildsFilter) => useInfiniteQuery(allBuilds(filter));
