// Refetches failed and stale queries once the server is available again.
import type { Query, QueryClient } from "@tanstack/react-query";
import { isUnavailable } from "./api-error";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 8_000;

/** Failed queries, and those that are refetched on window focus. */
const shouldRefetch = ({ state, observers }: Query) =>
  state.status === "error" ||
  observers.every(({ options }) => options.refetchOnWindowFocus !== false);

/** Returns a function to call with every query error. `answers` tells whether the server responds. */
export function refetchOnRecovery(client: QueryClient, answers: () => Promise<boolean>) {
  let isWaiting = false;

  const isStillUnavailable = () =>
    client
      .getQueryCache()
      .findAll({ type: "active" })
      .some(({ state }) => state.status === "error" && isUnavailable(state.error));

  async function refetchUntilRecovered() {
    let delay = FIRST_DELAY_MS;
    do {
      await new Promise((waited) => setTimeout(waited, delay));
      delay = Math.min(delay * 1.6, MAX_DELAY_MS);
      if (await answers().catch(() => false))
        await client.refetchQueries({ type: "active", stale: true, predicate: shouldRefetch });
    } while (isStillUnavailable());
    isWaiting = false;
  }

  return (error: unknown) => {
    if (isWaiting || !isUnavailable(error)) return;
    isWaiting = true;
    void refetchUntilRecovered();
  };
}
