// The contracts of a project, their versions and findings.
import {
  queryOptions,
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
import { findingsOfWritten } from "./findings/findings-by-contract";

export const contractsQuery = (project: string) =>
  queryOptions({
    queryKey: keys.contracts(project),
    queryFn: async () =>
      (
        await unwrap(
          api.GET("/api/projects/{project}/contracts", { params: { path: { project } } }),
        )
      ).items,
  });

export const useContracts = (project: string) => useQuery(contractsQuery(project));

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

const findings = (project: string) =>
  queryOptions({
    queryKey: keys.contractFindings(project),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/contracts/findings", { params: { path: { project } } }),
      ),
  });

export function useFindings(project: string) {
  const contracts = useContracts(project).data;
  return useQuery({
    ...findings(project),
    enabled: contracts !== undefined,
    select: ({ items }) => findingsOfWritten(items, contracts ?? []),
  });
}

/** False while contracts are missing or have gaps: there may be more conflicts. */
export const useIsCheckComplete = (project: string) =>
  useQuery({ ...findings(project), select: ({ is_complete }) => is_complete }).data ?? false;

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

/** Newest first, paginated. */
export function useVersions(project: string, type: ContractType) {
  return useInfiniteQuery({
    queryKey: keys.contractVersions(project, type),
    queryFn: ({ pageParam }) => fetchVersions(project, type, pageParam ? { after: pageParam } : {}),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** The origins of the current versions, as far as they are loaded. */
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

interface SaveRequest {
  content: string;
  /** The version that was edited. */
  version: number;
  /** Also save a text that has lost most of its length. */
  confirm?: boolean;
}

/** Saves a version after the one that was edited. */
export function useSaveContract(project: string, type: ContractType) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ content, version, confirm = false }: SaveRequest) =>
      unwrap(
        api.PUT("/api/projects/{project}/contracts/{type}", {
          params: { path: { project, type } },
          body: { content, version, confirm },
        }),
      ),
    onSuccess: (saved) => {
      client.setQueryData(keys.contract(project, type), saved);
      return client.invalidateQueries({ queryKey: keys.contracts(project) });
    },
  });
}

/** Saves the text of an older version as a new version. */
export function useRestoreVersion(project: string, type: ContractType) {
  const save = useSaveContract(project, type);
  return useMutation({
    mutationFn: async ({ version, over }: { version: number; over: number }) => {
      const { content } = await unwrap(
        api.GET("/api/projects/{project}/contracts/{type}/versions/{version}", {
          params: { path: { project, type, version } },
        }),
      );
      return save.mutateAsync({ content, version: over, confirm: true });
    },
  });
}

interface ImportRequest {
  found: { type: ContractType; file: File }[];
  /** Also import texts that have lost most of their length. */
  confirm: boolean;
}

/** Imports all files or none. */
export function useImportContracts(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ found, confirm }: ImportRequest) => {
      const texts = found.map(async ({ type, file }) => [type, await file.text()] as const);
      const contracts = Object.fromEntries(await Promise.all(texts));
      return unwrap(
        api.POST("/api/projects/{project}/contracts", {
          params: { path: { project } },
          body: { contracts, confirm },
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
  return (await unwrap(answer)) as Blob;
}
