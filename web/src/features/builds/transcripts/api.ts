import { useQuery } from "@tanstack/react-query";
import { api, type BuildRun, type Transcript, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";

export function useRuns(build: string) {
  return useQuery({
    queryKey: keys.runs(build),
    queryFn: (): Promise<BuildRun[]> =>
      fetchAllPages((query) =>
        unwrap(api.GET("/api/builds/{build}/runs", { params: { path: { build }, query } })),
      ),
  });
}

/** The whole conversation of a run. */
export function useTranscript(build: string, run: string) {
  return useQuery({
    queryKey: keys.transcript(build, run),
    queryFn: () => fetchTranscript(build, run),
  });
}

async function fetchTranscript(build: string, run: string): Promise<Transcript> {
  let page: Transcript | undefined;
  const items = await fetchAllPages(async (query) => {
    page = await unwrap(
      api.GET("/api/builds/{build}/runs/{run}/transcript", {
        params: { path: { build, run }, query },
      }),
    );
    return page;
  });
  return { ...(page as Transcript), items };
}

/** A message with its whole texts. */
export function useFullMessage(build: string, run: string, position: number, enabled: boolean) {
  return useQuery({
    queryKey: keys.transcriptMessage(build, run, position),
    queryFn: () =>
      unwrap(
        api.GET("/api/builds/{build}/runs/{run}/transcript/{position}", {
          params: { path: { build, run, position } },
        }),
      ),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
