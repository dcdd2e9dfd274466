import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { isFinal } from "@/domain/build-status";
import { api, type StartOptions, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";

export const buildsQuery = (project: string) =>
  queryOptions({
    queryKey: keys.projectBuilds(project),
    queryFn: () =>
      fetchAllPages((query) =>
        unwrap(api.GET("/api/projects/{project}/builds", { params: { path: { project }, query } })),
      ),
  });

export function useBuilds(project: string) {
  return useQuery({
    ...buildsQuery(project),
    refetchInterval: (query) =>
      query.state.data?.some((build) => !isFinal(build.status)) ? 5_000 : false,
  });
}

/** The id of a build, from its number or id in an address. */
export const buildIdQuery = (client: QueryClient, project: string, ref: string) =>
  queryOptions({
    queryKey: keys.buildNumber(project, ref),
    queryFn: async () => {
      const build = await unwrap(
        api.GET("/api/projects/{project}/builds/{build}", {
          params: { path: { project, build: ref } },
        }),
      );
      client.setQueryData(keys.build(build.id), build);
      // Links name its number: following one from an address with its id must not load the page again,
      // and lose what is being written.
      client.setQueryData(keys.buildNumber(project, String(build.number)), build.id);
      return build.id;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useBuildId = (project: string, ref: string) =>
  useQuery(buildIdQuery(useQueryClient(), project, ref));

export function useBuild(build: string) {
  return useQuery({
    queryKey: keys.build(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}", { params: { path: { build } } })),
    // Corrects time and spending between events.
    refetchInterval: (query) =>
      query.state.data && !isFinal(query.state.data.status) ? 10_000 : false,
  });
}

export function useStartBuild(project: string) {
  const client = useQueryClient();
  // One key per click: a retry after a lost response starts no second build.
  const [key, setKey] = useState(newIdempotencyKey);
  return useMutation({
    mutationFn: (options: StartOptions) =>
      unwrap(
        api.POST("/api/projects/{project}/builds", {
          params: { path: { project }, header: { "Idempotency-Key": key } },
          body: options,
        }),
      ),
    onSuccess: (build) => {
      setKey(newIdempotencyKey());
      client.setQueryData(keys.build(build.id), build);
      client.invalidateQueries({ queryKey: keys.projectBuilds(project) });
      client.invalidateQueries({ queryKey: keys.project(project), exact: true });
    },
  });
}

/** Verifies journal, seal and branch on demand. */
export function useVerify(build: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(api.GET("/api/builds/{build}/verify", { params: { path: { build } } })),
  });
}

export type BuildCommand =
  | { name: "pause" }
  | {
      name: "resume";
      add?: { iterations?: number; minutes?: number; tokens?: number; usd_micros?: number };
    }
  | { name: "cancel"; reason?: string }
  | { name: "interject"; text: string }
  | { name: "retry-phase"; phase: number; reason: string; discard_changes: boolean }
  | { name: "skip-phase"; phase: number; reason: string }
  | { name: "run-gates" }
  | { name: "fix-error"; error: string };

/** The gates that differ when a paused or blocked build is resumed. */
export const useGateChanges = (build: string, enabled: boolean) =>
  useQuery({
    queryKey: keys.gateChanges(build),
    queryFn: async () => {
      const params = { path: { build } };
      return (await unwrap(api.GET("/api/builds/{build}/gate-changes", { params }))).items;
    },
    enabled,
    staleTime: 0,
  });

export function useBuildCommand(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (command: BuildCommand) => {
      const params = { path: { build } };
      switch (command.name) {
        case "pause":
          return unwrap(api.POST("/api/builds/{build}/pause", { params }));
        case "resume":
          return unwrap(
            api.POST("/api/builds/{build}/resume", { params, body: { add: command.add } }),
          );
        case "cancel":
          return unwrap(
            api.POST("/api/builds/{build}/cancel", {
              params,
              body: { reason: command.reason },
            }),
          );
        case "interject":
          return unwrap(
            api.POST("/api/builds/{build}/interject", { params, body: { text: command.text } }),
          );
        case "retry-phase": {
          const { phase, reason, discard_changes } = command;
          return unwrap(
            api.POST("/api/builds/{build}/phases/{phase}/retry", {
              params: { path: { build, phase } },
              body: { reason, discard_changes },
            }),
          );
        }
        case "skip-phase": {
          const { phase, reason } = command;
          return unwrap(
            api.POST("/api/builds/{build}/phases/{phase}/skip", {
              params: { path: { build, phase } },
              body: { reason },
            }),
          );
        }
        case "run-gates":
          return unwrap(api.POST("/api/builds/{build}/gates/run", { params }));
        case "fix-error":
          return unwrap(
            api.POST("/api/builds/{build}/errors/{error}/fix", {
              params: { path: { build, error: command.error } },
            }),
          );
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.build(build) }),
  });
}
