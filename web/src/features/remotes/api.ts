import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, type Schemas, unwrap } from "@/lib/api";
import { rememberSlugs } from "@/lib/paths";
import { keys } from "@/lib/query-keys";

export type Remote = Schemas["Remote"];
export type Credential = Schemas["Credential"];

/** Whose credentials: the user's, the installation's, or those of the project with an id. */
export type CredentialOwner = "user" | "installation" | { project: string };

const ACTIVE_INTERVAL_MS = 1_000;
const IDLE_INTERVAL_MS = 15_000;

export const isActive = (remote: Remote | null | undefined) =>
  remote?.fetch?.status === "queued" || remote?.fetch?.status === "running";

const remoteOptions = (project: string) =>
  queryOptions({
    queryKey: keys.remote(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/remote", { params: { path: { project } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data?.remote === null) return false;
      return isActive(data?.remote) ? ACTIVE_INTERVAL_MS : IDLE_INTERVAL_MS;
    },
  });

/** Whether a push replaces the initial commit of the project's own repository. */
export function useAcceptsPushedHistory(project: string) {
  const select = ({ remote, accepts_history }: Schemas["ProjectRemote"]) =>
    remote === null && accepts_history;
  return useQuery({ ...remoteOptions(project), select }).data ?? false;
}

/** Null for a project without a remote repository. */
export function useRemote(project: string) {
  const client = useQueryClient();
  const query = useQuery({ ...remoteOptions(project), select: ({ remote }) => remote });
  // A fetch can change the default branch, and what builds start from.
  const fetchedAt = query.data?.fetched_at;
  const seen = useRef(fetchedAt);
  useEffect(() => {
    const changed = seen.current !== undefined && fetchedAt !== seen.current;
    seen.current = fetchedAt;
    if (changed) client.invalidateQueries({ queryKey: keys.project(project) });
  }, [client, fetchedAt, project]);
  return query;
}

export function useCredentials() {
  return useQuery({
    queryKey: keys.credentials,
    queryFn: async () => (await unwrap(api.GET("/api/credentials"))).items,
  });
}

export function useCreateCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateCredentialRequest"]) =>
      unwrap(api.POST("/api/credentials", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.credentials }),
  });
}

/** Remotes that used it have no credential afterwards. */
export function useRemoveCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (credential: string) =>
      unwrap(api.DELETE("/api/credentials/{credential}", { params: { path: { credential } } })),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.credentials }),
        client.invalidateQueries({ queryKey: keys.remotes }),
      ]),
  });
}

export function useTestRemote() {
  return useMutation({
    mutationFn: (body: Schemas["TestRemoteRequest"]) =>
      unwrap(api.POST("/api/remote-tests", { body })),
  });
}

export function useImportProject() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["ImportRequest"]) => unwrap(api.POST("/api/imports", { body })),
    onSuccess: (project) => {
      rememberSlugs([project]);
      return client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}

/** A change after which the remote is read again. */
function useRemoteChange<Variables>(
  project: string,
  mutationFn: (variables: Variables) => Promise<unknown>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: keys.remote(project) }),
  });
}

const of = (project: string) => ({ params: { path: { project } } });

export const useFetchRemote = (project: string) =>
  useRemoteChange<void>(project, () =>
    unwrap(api.POST("/api/projects/{project}/remote/fetch", of(project))),
  );

export const useCancelFetch = (project: string) =>
  useRemoteChange<void>(project, () =>
    unwrap(api.DELETE("/api/projects/{project}/remote/fetch", of(project))),
  );

/** Connects an existing project. */
export const useConnectRemote = (project: string) =>
  useRemoteChange<Schemas["ConnectRemoteRequest"]>(project, (body) =>
    unwrap(api.POST("/api/projects/{project}/remote", { ...of(project), body })),
  );

export const useDisconnectRemote = (project: string) =>
  useRemoteChange<void>(project, () =>
    unwrap(api.DELETE("/api/projects/{project}/remote", of(project))),
  );

export const useUpdateRemote = (project: string) =>
  useRemoteChange<Schemas["UpdateRemoteRequest"]>(project, (body) =>
    unwrap(api.PUT("/api/projects/{project}/remote", { ...of(project), body })),
  );

export function useCreateHookSecret(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/api/projects/{project}/remote/hook-secret", of(project))),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.remote(project) }),
  });
}
