import type { UseQueryResult } from "@tanstack/react-query";

/**
 * Whether one of these is being read for the first time. What it adds to a page that is shown already would move what
 * is below away from the pointer. False once it has failed.
 */
export const isFirstRead = (queries: Pick<UseQueryResult, "isLoading" | "isFetched">[]): boolean =>
  queries.some(({ isLoading, isFetched }) => isLoading && !isFetched);
