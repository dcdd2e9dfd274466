import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Stores what the server returned for a change. A read that is pending may have begun before the change and would
 * replace it with older data, so it is repeated.
 */
export function storeResponse<T>(client: QueryClient, queryKey: QueryKey, data: T) {
  const isPending = client.isFetching({ queryKey, exact: true }) > 0;
  client.setQueryData<T>(queryKey, data);
  if (isPending) void client.invalidateQueries({ queryKey, exact: true });
}
