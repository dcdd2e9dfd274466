// Once the server answers again, what could not be asked while it was away is asked anew.
import type { Query, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./problem";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 8_000;

/** Whether nobody answered, or only a proxy that found no one. */
const isAway = (error: unknown) =>
  error instanceof TypeError ||
  (error instanceof ApiError && [502, 503, 504].includes(error.status));

/** What a look at the window would ask anew too, and whatever failed. */
const isWanted = ({ state, observers }: Query) =>
  state.status === "error" ||
  observers.every(({ options }) => options.refetchOnWindowFocus !== false);

/** Returns the function that is told of every query that failed. `answers` says whether the server does. */
export function healing(client: QueryClient, answers: () => Promise<boolean>) {
  let underWay = false;

  const isStillAway = () =>
    client
      .getQueryCache()
      .findAll({ type: "active" })
      .some(({ state }) => state.status === "error" && isAway(state.error));

  async function heal() {
    let delay = FIRST_DELAY_MS;
    do {
      await new Promise((waited) => setTimeout(waited, delay));
      delay = Math.min(delay * 1.6, LONGEST_DELAY_MS);
      if (await answers().catch(() => false))
        await client.refetchQueries({ type: "active", stale: true, predicate: isWanted });
    } while (isStillAway());
    underWay = false;
  }

  return (error: unknown) => {
    if (underWay || !isAway(error)) return;
    underWay = true;
    void heal();
  };
}
