// Reviews of sealed builds, for administrators and for the build's owner.

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isUnfinished } from "@/components/evidence/gate-rerun-labels";
import type { Place } from "@/components/threads/threads";
import { REVIEW_REFETCH_INTERVAL_MS } from "@/domain/changes/review-threads";
import { api, type ReviewDecision, unwrap } from "@/lib/api";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

export type ReviewState = "open" | "decided" | "all";

export function useReviewQueue(state: ReviewState) {
  return useInfiniteQuery({
    queryKey: keys.reviewQueue(state),
    queryFn: ({ pageParam }) => {
      const query = { state, ...(pageParam && { after: pageParam }) };
      return unwrap(api.GET("/api/reviews", { params: { query } }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    refetchInterval: REVIEW_REFETCH_INTERVAL_MS,
  });
}

export function useReview(build: string) {
  return useQuery({
    queryKey: keys.review(build),
    queryFn: () => unwrap(api.GET("/api/reviews/{build}", { params: { path: { build } } })),
    refetchInterval: REVIEW_REFETCH_INTERVAL_MS,
  });
}

/** The requirements of a sealed build, with their proofs. */
export function useReviewRequirements(build: string) {
  return useQuery({
    queryKey: keys.buildRequirements(build),
    queryFn: () =>
      unwrap(api.GET("/api/reviews/{build}/requirements", { params: { path: { build } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useVerifyReview(build: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(api.GET("/api/reviews/{build}/verify", { params: { path: { build } } })),
  });
}

/** How often the results of gates that run are read. */
const RERUN_REFETCH_INTERVAL_MS = 1_500;

/** The runs of a sealed build's gates after the seal, newest first. */
export function useReviewGateReruns(build: string) {
  return useQuery({
    queryKey: keys.gateReruns(build),
    queryFn: () =>
      unwrap(api.GET("/api/reviews/{build}/gate-reruns", { params: { path: { build } } })),
    refetchInterval: ({ state }) =>
      isUnfinished(state.data?.items[0]) ? RERUN_REFETCH_INTERVAL_MS : REVIEW_REFETCH_INTERVAL_MS,
  });
}

export function useRerunGates(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST("/api/reviews/{build}/gate-reruns", { params: { path: { build } } })),
    onSuccess: (reruns) => storeResponse(client, keys.gateReruns(build), reruns),
    // Another administrator may have started them.
    onError: () => client.invalidateQueries({ queryKey: keys.gateReruns(build) }),
  });
}

interface Decide {
  decision: ReviewDecision;
  reason: string;
  /** The latest decision shown to the user. */
  seen: string | null;
}

export function useDecide(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Decide) =>
      unwrap(api.POST("/api/reviews/{build}/decision", { params: { path: { build } }, body })),
    // Also after a rejection, which means that someone else has decided.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.review(build) }),
        client.invalidateQueries({ queryKey: keys.reviews }),
        client.invalidateQueries({ queryKey: keys.inbox }),
      ]),
  });
}

export function useComment(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { text: string; line?: Place; parent_id?: string }) =>
      unwrap(api.POST("/api/reviews/{build}/comments", { params: { path: { build } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.review(build) }),
  });
}

export function useResolve(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (comment: string) =>
      unwrap(api.POST("/api/review-comments/{comment}/resolve", { params: { path: { comment } } })),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.review(build) }),
        client.invalidateQueries({ queryKey: keys.reviews }),
      ]),
  });
}

/** Comments on the previous build, with their lines mapped to this one. */
export function useEarlierReview(build: string) {
  return useQuery({
    queryKey: keys.earlierReview(build),
    queryFn: () => unwrap(api.GET("/api/reviews/{build}/earlier", { params: { path: { build } } })),
  });
}

/** Starts a build that addresses requested changes, as owner or reviewer. */
export function useStartFollowUp(build: string, from: "builds" | "reviews") {
  const client = useQueryClient();
  // One key per click: a retry after a lost response starts no second build.
  const [key, setKey] = useState(newIdempotencyKey);
  return useMutation({
    mutationFn: () => {
      const params = { path: { build }, header: { "Idempotency-Key": key } };
      const started =
        from === "builds"
          ? unwrap(api.POST("/api/builds/{build}/follow-up", { params }))
          : unwrap(api.POST("/api/reviews/{build}/follow-up", { params }));
      return started;
    },
    onSuccess: ({ project_id }) => {
      setKey(newIdempotencyKey());
      client.invalidateQueries({ queryKey: keys.projectBuilds(project_id) });
      client.invalidateQueries({ queryKey: keys.project(project_id), exact: true });
    },
    // Also after a rejection: someone else may have started one.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.review(build) }),
        client.invalidateQueries({ queryKey: keys.buildReviews(build) }),
      ]),
  });
}
