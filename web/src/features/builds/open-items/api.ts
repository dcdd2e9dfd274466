// What users confirm, clear and dismiss in a build.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

export type OpenItems = Schemas["BuildOpenItems"];
export type OpenCriterion = Schemas["OpenCriterion"];

export function useOpenItems(build: string) {
  return useQuery({
    queryKey: keys.openItems(build),
    queryFn: () =>
      unwrap(api.GET("/api/builds/{build}/open-items", { params: { path: { build } } })),
  });
}

/** How a user settles an item. */
export type Settlement =
  | { kind: "confirm"; phase: number; index: number; head_sha: string; note: string }
  | { kind: "reject"; phase: number; index: number; head_sha: string; note: string }
  | { kind: "clear"; number: number; head_sha: string; reason: string }
  | { kind: "dismiss"; finding: string; reason: string };

export function useSettleItem(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settlement: Settlement) => unwrap(send(build, settlement)),
    onSuccess: (items) => storeResponse(client, keys.openItems(build), items),
    onError: () => client.invalidateQueries({ queryKey: keys.openItems(build) }),
  });
}

function send(build: string, settlement: Settlement) {
  switch (settlement.kind) {
    case "clear": {
      const { number, head_sha, reason } = settlement;
      return api.POST("/api/builds/{build}/weakened-tests/{number}/clear", {
        params: { path: { build, number } },
        body: { reason, head_sha },
      });
    }
    case "dismiss": {
      const { finding, reason } = settlement;
      return api.POST("/api/builds/{build}/findings/{finding}/dismiss", {
        params: { path: { build, finding } },
        body: { reason },
      });
    }
    default: {
      const { kind, phase, index, head_sha, note } = settlement;
      return api.POST("/api/builds/{build}/criteria/{phase}/{index}/confirm", {
        params: { path: { build, phase, index } },
        body: { result: kind === "confirm" ? "confirmed" : "rejected", note, head_sha },
      });
    }
  }
}
