import type { QueryClient, QueryKey, Updater } from "@tanstack/react-query";

/**
 * Stores what the server returned for a change. A pending read may have begun before the change and would replace it
 * with older data. It is repeated, not just cancelled: it may also have begun later, because of a newer change. Not
 * needed where the key is invalidated anyway.
 */
export function storeResponse<T>(
  client: QueryClient,
  queryKey: QueryKey,
  data: Updater<T | undefined, T | undefined>,
) {
  const isPending = client.isFetching({ queryKey, exact: true }) > 0;
  client.setQueryData<T>(queryKey, data);
  if (isPending) void client.invalidateQueries({ queryKey, exact: true });
}
