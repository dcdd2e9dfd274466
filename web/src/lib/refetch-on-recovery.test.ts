import { QueryCache, QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, ConnectionError } from "./api-error";
import { refetchOnRecovery } from "./refetch-on-recovery";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client whose server is unavailable until `back` is called. */
function away(error: Error) {
  let isBack = false;
  const answers = vi.fn(async () => isBack);
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => failed(error) }),
    defaultOptions: { queries: { retry: false } },
  });
  const failed = refetchOnRecovery(client, answers);
  const ask = (name: string, options = {}) => {
    const queryFn = vi.fn(async () => {
      if (isBack) return name;
      throw error;
    });
    new QueryObserver(client, { queryKey: [name], queryFn, ...options }).subscribe(() => {});
    return queryFn;
  };
  const back = () => {
    isBack = true;
  };
  return { client, answers, ask, back };
}

it("refetches once the server responds, and not before", async () => {
  const { client, answers, ask, back } = away(
    new ConnectionError(new TypeError("Failed to fetch")),
  );
  const asked = [ask("one"), ask("two")];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(answers.mock.calls.length).toBeGreaterThan(3);
  expect(asked.map((each) => each.mock.calls.length)).toEqual([1, 1]);
  back();
  await vi.advanceTimersByTimeAsync(8_000);
  expect(["one", "two"].map((name) => client.getQueryData([name]))).toEqual(["one", "two"]);
  const tries = answers.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(answers).toHaveBeenCalledTimes(tries);
});

it("skips queries without refetch on focus, unless they failed", async () => {
  const { client, ask, back } = away(new ConnectionError(new TypeError("Failed to fetch")));
  client.setQueryData(["notepad"], "known");
  const notepad = ask("notepad", { refetchOnWindowFocus: false, refetchOnMount: false });
  ask("other");
  back();
  await vi.advanceTimersByTimeAsync(8_000);
  expect(client.getQueryData(["other"])).toBe("other");
  expect(notepad).not.toHaveBeenCalled();
});

it("does not treat an error response as an outage", async () => {
  const { answers, ask } = away(new ApiError({ status: 404 }));
  ask("gone");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(answers).not.toHaveBeenCalled();
});
