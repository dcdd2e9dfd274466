import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isFinal } from "@/domain/build-status";
import { api, type BudgetLimits, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";

export function useBuilds(project: string) {
  return useQuery({
    queryKey: keys.projectBuilds(project),
    queryFn: () =>
      fetchAllPages((query) =>
        unwrap(api.GET("/api/projects/{project}/builds", { params: { path: { project }, query } })),
      ),
    refetchInterval: (query) =>
      query.state.data?.some((build) => !isFinal(build.status)) ? 5_000 : false,
  });
}

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
    mutationFn: (budgets: BudgetLimits) =>
      unwrap(
        api.POST("/api/projects/{project}/builds", {
          params: { path: { project }, header: { "Idempotency-Key": key } },
          body: { budgets },
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
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.build(build) }),
  });
}
