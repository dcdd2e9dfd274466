import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { storeResponse } from "./store-response";

const queryKey = ["settings"];

/** A server whose answers to the first reads arrive when they are released. */
function slowServer() {
  let saved = "before";
  const releases: (() => void)[] = [];
  const read = vi.fn(async () => {
    const answer = saved;
    await new Promise<void>((resolve) => releases.push(resolve));
    return answer;
  });
  const save = (value: string) => {
    saved = value;
  };
  return { read, save, release: () => releases.splice(0).forEach((resolve) => void resolve()) };
}

function observe(client: QueryClient, queryFn: () => Promise<string>) {
  new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
}

it("keeps a change if an earlier read ends after it", async () => {
  const client = new QueryClient();
  const { read, save, release } = slowServer();
  observe(client, read);
  save("after");
  storeResponse(client, queryKey, "after");
  release();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  expect(client.getQueryData(queryKey)).toBe("after");
});

it("shows what a read that began after the change has found", async () => {
  const client = new QueryClient();
  const { read, save, release } = slowServer();
  save("changed by another");
  observe(client, read);
  storeResponse(client, queryKey, "after");
  release();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  expect(client.getQueryData(queryKey)).toBe("changed by another");
});

it("reads nothing if no read is pending", async () => {
  const client = new QueryClient();
  const { read, release } = slowServer();
  observe(client, read);
  release();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  storeResponse(client, queryKey, "after");
  expect(read).toHaveBeenCalledOnce();
  expect(client.getQueryData(queryKey)).toBe("after");
});
