// Runs that write contracts, and the commands that people give them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type ContractType, type Generation, unwrap } from "@/lib/api";
import { refetchWritten } from "@/lib/feed/generation-cache";
import { useGenerationCommand } from "@/lib/feed/generation-commands";
import { useGenerationFeed } from "@/lib/feed/use-generation-feed";
import { isUnderWay } from "@/lib/generation";
import { keys } from "@/lib/query-keys";

const LOOK_AGAIN_MS = 5_000;

async function fetchGenerations(project: string, limit: number): Promise<Generation[]> {
  const page = await unwrap(
    api.GET("/api/projects/{project}/generations", {
      params: { path: { project }, query: { limit } },
    }),
  );
  return page.items;
}

/** The newest run of a project, null if there was none yet, and whether the connection to it is away. */
export function useGeneration(project: string) {
  const client = useQueryClient();
  const key = keys.generation(project);
  const query = useQuery({
    queryKey: key,
    queryFn: async () => {
      const [newest = null] = await fetchGenerations(project, 1);
      refetchWritten(client, client.getQueryData<Generation | null>(key) ?? null, newest);
      return newest;
    },
    refetchInterval: ({ state }) => {
      const goesOn = state.data ? isUnderWay(state.data) : false;
      // One that goes on is followed as a stream where somebody looks, and is asked about for the
      // title of the tab where nobody does; others may be started elsewhere.
      return goesOn === document.hidden ? LOOK_AGAIN_MS : false;
    },
    refetchIntervalInBackground: true,
  });
  const lost = useGenerationFeed(query.data ?? null);
  return { generation: query.data ?? null, known: query.data !== undefined, lost };
}

/** Newest first. */
export function useGenerations(project: string) {
  return useQuery({
    queryKey: keys.generations(project),
    queryFn: () => fetchGenerations(project, 50),
  });
}

/** Writes those of the nine that are missing. */
export function useWriteContracts(project: string) {
  const path = { project };
  return useGenerationCommand<void>(project, () =>
    unwrap(api.POST("/api/projects/{project}/contracts/generate", { params: { path } })),
  );
}

export interface WriteAgainRequest {
  type: ContractType;
  /** Whether those that come after it are written anew too. */
  following: boolean;
}

export function useWriteAgain(project: string) {
  return useGenerationCommand(project, ({ type, following }: WriteAgainRequest) =>
    unwrap(
      api.POST("/api/projects/{project}/contracts/{type}/regenerate", {
        params: { path: { project, type } },
        body: { following },
      }),
    ),
  );
}
