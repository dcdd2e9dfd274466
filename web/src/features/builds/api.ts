// Builds and the commands that people give them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Build, unwrap } from "@/lib/api";
import { isFinal } from "@/lib/build-status";
import { newKey } from "@/lib/new-key";
import { keys } from "@/lib/query-keys";

export function useBuilds(project: string) {
  return useQuery({
    queryKey: keys.projectBuilds(project),
    queryFn: async () =>
      (await unwrap(api.GET("/api/projects/{project}/builds", { params: { path: { project } } })))
        .items,
    refetchInterval: (query) =>
      query.state.data?.some((build) => !isFinal(build.status)) ? 5_000 : false,
  });
}

export function useBuild(build: string) {
  return useQuery({
    queryKey: keys.build(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}", { params: { path: { build } } })),
    // Keeps clock and spending honest between events.
    refetchInterval: (query) =>
      query.state.data && !isFinal(query.state.data.status) ? 10_000 : false,
  });
}

export function useStartBuild(project: string) {
  const client = useQueryClient();
  // One key for one intent: pressing twice, or trying again after a lost answer, starts one build.
  const [key, setKey] = useState(newKey);
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/projects/{project}/builds", {
          params: { path: { project }, header: { "Idempotency-Key": key } },
          body: {},
        } as never),
      ) as Promise<Build>,
    onSuccess: (build) => {
      setKey(newKey());
      client.setQueryData(keys.build(build.id), build);
      client.invalidateQueries({ queryKey: keys.projectBuilds(project) });
      client.invalidateQueries({ queryKey: keys.project(project), exact: true });
    },
  });
}

/** Checks journal, seal and branch against each other when it is called. */
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
  | { name: "interject"; text: string };

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
            api.POST("/api/builds/{build}/resume", { params, body: { add: command.add } as never }),
          );
        case "cancel":
          return unwrap(
            api.POST("/api/builds/{build}/cancel", {
              params,
              body: { reason: command.reason } as never,
            }),
          );
        case "interject":
          return unwrap(
            api.POST("/api/builds/{build}/interject", { params, body: { text: command.text } }),
          );
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.build(build) }),
  });
}
