// The nine contracts of a project, their versions, and in what they disagree.
import {
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import {
  api,
  type Contract,
  type ContractSummary,
  type ContractType,
  type FileDiff,
  unwrap,
} from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useContracts(project: string) {
  return useQuery({
    queryKey: keys.contracts(project),
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/projects/{project}/contracts", { params: { path: { project } } }),
        )
      ).items,
  });
}

export const fetchContract = (project: string, type: ContractType): Promise<Contract> =>
  unwrap(
    api.GET("/api/projects/{project}/contracts/{type}", { params: { path: { project, type } } }),
  );

export function useContract(project: string, type: ContractType) {
  return useQuery({
    queryKey: keys.contract(project, type),
    queryFn: () => fetchContract(project, type),
  });
}

export function useFindings(project: string) {
  return useQuery({
    queryKey: keys.contractFindings(project),
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/projects/{project}/contracts/findings", { params: { path: { project } } }),
        )
      ).items,
  });
}

const fetchVersions = (
  project: string,
  type: ContractType,
  query: { after?: string; limit?: number },
) =>
  unwrap(
    api.GET("/api/projects/{project}/contracts/{type}/versions", {
      params: { path: { project, type }, query },
    }),
  );

/** Newest first, a page at a time. */
export function useVersions(project: string, type: ContractType) {
  return useInfiniteQuery({
    queryKey: keys.contractVersions(project, type),
    queryFn: ({ pageParam }) => fetchVersions(project, type, pageParam ? { after: pageParam } : {}),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** How the current version of each came to be, as far as that is known already. */
export function useOrigins(project: string, contracts: ContractSummary[]) {
  const own = contracts.filter(({ source }) => source !== "template");
  return useQueries({
    queries: own.map(({ type, version }) => ({
      queryKey: keys.contractOrigin(project, type, version),
      queryFn: async () =>
        (await fetchVersions(project, type, { limit: 1 })).items[0]?.source ?? null,
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (found) => new Map(own.map(({ type }, index) => [type, found[index]?.data ?? null])),
  });
}

export function useContractDiff(project: string, type: ContractType, from: number, to: number) {
  return useQuery({
    queryKey: keys.contractDiff(project, type, from, to),
    queryFn: (): Promise<FileDiff> =>
      unwrap(
        api.GET("/api/projects/{project}/contracts/{type}/diff", {
          params: { path: { project, type }, query: { from, to } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Writes a text over the version that its writer saw. */
export function useSaveContract(project: string, type: ContractType) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ content, version }: { content: string; version: number }) =>
      unwrap(
        api.PUT("/api/projects/{project}/contracts/{type}", {
          params: { path: { project, type } },
          body: { content, version },
        }),
      ),
    onSuccess: (saved) => {
      client.setQueryData(keys.contract(project, type), saved);
      return client.invalidateQueries({ queryKey: keys.contracts(project) });
    },
  });
}

/** Makes the text of an older version the newest one. */
export function useRestoreVersion(project: string, type: ContractType) {
  const save = useSaveContract(project, type);
  return useMutation({
    mutationFn: async ({ version, over }: { version: number; over: number }) => {
      const { content } = await unwrap(
        api.GET("/api/projects/{project}/contracts/{type}/versions/{version}", {
          params: { path: { project, type, version } },
        }),
      );
      return save.mutateAsync({ content, version: over });
    },
  });
}

/** Each file becomes the newest version of its contract: all of them, or none. */
export function useImportContracts(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (files: { type: ContractType; file: File }[]) => {
      const texts = files.map(async ({ type, file }) => [type, await file.text()] as const);
      const contracts = Object.fromEntries(await Promise.all(texts));
      return unwrap(
        api.POST("/api/projects/{project}/contracts", {
          params: { path: { project } },
          body: { contracts },
        }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.contracts(project) }),
  });
}

export async function fetchArchive(project: string): Promise<Blob> {
  const answer = api.GET("/api/projects/{project}/contracts.zip", {
    params: { path: { project } },
    parseAs: "blob",
  });
  return (await unwrap(
    answer as Promise<{ data?: Blob; error?: unknown; response: Response }>,
  )) as Blob;
}
