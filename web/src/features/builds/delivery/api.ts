import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type BuildDelivery, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

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
    onSuccess: (delivery) => client.setQueryData(keys.buildDelivery(build), delivery),
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
