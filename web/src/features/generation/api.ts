// Contract generations and their commands.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchWritten } from "@/domain/feed/generation-cache";
import { useGenerationCommand } from "@/domain/feed/generation-commands";
import { useGenerationFeed } from "@/domain/feed/use-generation-feed";
import { isRunning } from "@/domain/generation";
import { api, type ContractType, type Generation, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { isFirstRead } from "@/lib/is-first-read";
import { keys } from "@/lib/query-keys";

const LOOK_AGAIN_MS = 5_000;

const fetchGenerations = (project: string, query: { limit: number; after?: string }) =>
  unwrap(api.GET("/api/projects/{project}/generations", { params: { path: { project }, query } }));

/** The latest generation of a project, or null, whether it is read for the first time, and whether its stream is lost. */
export function useGeneration(project: string) {
  const client = useQueryClient();
  const key = keys.generation(project);
  const query = useQuery({
    queryKey: key,
    queryFn: async () => {
      const [newest = null] = (await fetchGenerations(project, { limit: 1 })).items;
      refetchWritten(client, client.getQueryData<Generation | null>(key) ?? null, newest);
      return newest;
    },
    refetchInterval: ({ state }) => {
      const goesOn = state.data ? isRunning(state.data) : false;
      // A running generation is streamed while the page is visible; hidden pages poll it for the
      // document title. Generations may be started elsewhere.
      return goesOn === document.hidden ? LOOK_AGAIN_MS : false;
    },
    refetchIntervalInBackground: true,
  });
  const lost = useGenerationFeed(query.data ?? null);
  return { generation: query.data ?? null, loading: isFirstRead([query]), lost };
}

/** Newest first. */
export function useGenerations(project: string) {
  return useQuery({
    queryKey: keys.generations(project),
    queryFn: () => fetchAllPages((page) => fetchGenerations(project, page)),
  });
}

/** Generates the missing contracts. */
export function useWriteContracts(project: string) {
  const path = { project };
  return useGenerationCommand<void>(project, () =>
    unwrap(api.POST("/api/projects/{project}/contracts/generate", { params: { path } })),
  );
}

export interface WriteAgainRequest {
  type: ContractType;
  /** Whether the contracts that depend on it are regenerated too. */
  following: boolean;
  /** What the model should change. */
  note: string;
}

export function useWriteAgain(project: string) {
  return useGenerationCommand(project, ({ type, following, note }: WriteAgainRequest) =>
    unwrap(
      api.POST("/api/projects/{project}/contracts/{type}/regenerate", {
        params: { path: { project, type } },
        body: { following, note },
      }),
    ),
  );
}
