// Comments on the user's own build, in its review and in its changes.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { keys } from "@/lib/query-keys";

/** How often decisions and comments of others are fetched. */
export const REVIEW_REFETCH_INTERVAL_MS = 30_000;

/** Reviews of the user's own build. */
export function useBuildReviews(build: string) {
  return useQuery({
    queryKey: keys.buildReviews(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}/reviews", { params: { path: { build } } })),
    refetchInterval: REVIEW_REFETCH_INTERVAL_MS,
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

/** Accepts a suggested edit for the follow-up, or withdraws the acceptance. */
export function useAcceptSuggestion(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ comment, accepted }: { comment: string; accepted: boolean }) =>
      unwrap(
        api.PUT("/api/builds/{build}/review-comments/{comment}/suggestion", {
          params: { path: { build, comment } },
          body: { accepted },
        }),
      ),
    onError: (error) => notifyFailed("Could not apply the suggestion", error),
    // Also after a rejection: the follow-up may have started.
    onSettled: () => client.invalidateQueries({ queryKey: keys.buildReviews(build) }),
  });
}
