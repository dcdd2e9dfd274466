// Reviews of sealed builds, for administrators and for the build's owner.

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type ReviewDecision, unwrap } from "@/lib/api";
import { fileDiffOf, summaryOf } from "@/lib/diff-response";
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { keys } from "@/lib/query-keys";

/** How often decisions and comments of others are fetched. */
const LOOK_EVERY_MS = 30_000;

export type ReviewState = "open" | "decided" | "all";

/** A line of the diff, in the old or new file. */
export interface Place {
  path: string;
  side: "old" | "new";
  number: number;
}

export function useReviewQueue(state: ReviewState) {
  return useInfiniteQuery({
    queryKey: keys.reviewQueue(state),
    queryFn: ({ pageParam }) => {
      const query = { state, ...(pageParam && { after: pageParam }) };
      return unwrap(api.GET("/api/reviews", { params: { query } }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** The number of builds awaiting review. */
export function useOpenReviewCount(enabled: boolean) {
  return useQuery({
    queryKey: keys.reviewCount,
    queryFn: async () => {
      const params = { query: { state: "open" as const, limit: 1 } };
      return (await unwrap(api.GET("/api/reviews", { params }))).open_count;
    },
    enabled,
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function useReview(build: string) {
  return useQuery({
    queryKey: keys.review(build),
    queryFn: () => unwrap(api.GET("/api/reviews/{build}", { params: { path: { build } } })),
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** A sealed branch does not change, so its diff is fetched once. */
export function useReviewFiles(build: string) {
  return useQuery({
    queryKey: keys.reviewFiles(build),
    queryFn: async () => {
      const summary = await unwrap(
        api.GET("/api/reviews/{build}/diff", { params: { path: { build } } }),
      );
      return summaryOf(summary);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useReviewFile(build: string, path: string) {
  return useQuery({
    queryKey: keys.reviewFile(build, path),
    queryFn: async () => {
      const params = { path: { build }, query: { path } };
      return fileDiffOf(await unwrap(api.GET("/api/reviews/{build}/diff", { params })));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useVerifyReview(build: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(api.GET("/api/reviews/{build}/verify", { params: { path: { build } } })),
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

/** Reviews of the user's own build. */
export function useBuildReviews(build: string) {
  return useQuery({
    queryKey: keys.buildReviews(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}/reviews", { params: { path: { build } } })),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function useAnswer(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { text: string; parent_id: string }) =>
      unwrap(
        api.POST("/api/builds/{build}/review-comments", { params: { path: { build } }, body }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.buildReviews(build) }),
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
