import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type BuildDelivery, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

/** Between two looks at a delivery in progress. */
const PROGRESS_INTERVAL_MS = 1_500;
/** Between two looks at an open pull request; the server reads it less often. */
const OPEN_INTERVAL_MS = 30_000;

/** Where a sealed build is delivered to, and its pull request. */
export function useDelivery(build: string) {
  return useQuery({
    queryKey: keys.buildDelivery(build),
    queryFn: () => unwrap(api.GET("/api/builds/{build}/delivery", { params: { path: { build } } })),
    refetchInterval: (query) => intervalOf(query.state.data),
  });
}

/** Opens the pull request, tries again, or reads its state again. */
export function useRequestDelivery(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST("/api/builds/{build}/delivery", { params: { path: { build } } })),
    onSuccess: (delivery) => storeResponse(client, keys.buildDelivery(build), delivery),
  });
}

/** Starts a build that implements these comments of the pull request. */
export function useFollowUpOfComments(build: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (comments: string[]) => {
      const params = { path: { build } };
      const path = "/api/builds/{build}/delivery/follow-up";
      return unwrap(api.POST(path, { params, body: { comments } }));
    },
    onSuccess: ({ project_id }) => {
      client.invalidateQueries({ queryKey: keys.projectBuilds(project_id) });
      client.invalidateQueries({ queryKey: keys.project(project_id), exact: true });
      client.invalidateQueries({ queryKey: keys.buildReviews(build) });
    },
    // Also after a rejection: the comments may have changed.
    onSettled: () => client.invalidateQueries({ queryKey: keys.buildDelivery(build) }),
  });
}

function intervalOf(data: BuildDelivery | undefined): number | false {
  const delivery = data?.delivery;
  switch (delivery?.state) {
    case "waiting":
    case "pushing":
    case "opening":
      return PROGRESS_INTERVAL_MS;
    case "delivered":
      return delivery.pull_request?.state === "open" ? OPEN_INTERVAL_MS : false;
    default:
      return false;
  }
}
