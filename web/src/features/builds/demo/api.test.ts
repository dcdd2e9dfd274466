import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { createElement, type PropsWithChildren } from "react";
import { expect, it, vi } from "vitest";
import { useDemoSpeed, useSetDemoSpeed } from "./api";

it("keeps the chosen speed if the earlier one arrives afterwards", async () => {
  let saved = "normal";
  let answerFirst = () => {};
  const first = new Promise<void>((resolve) => {
    answerFirst = resolve;
  });
  let reads = 0;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PUT") {
      saved = (await request.json()).speed;
      return new Response(null, { status: 204 });
    }
    const speed = saved;
    reads += 1;
    if (reads === 1) await first;
    return Response.json({ speed });
  });
  const client = new QueryClient();
  const wrapper = ({ children }: PropsWithChildren) =>
    createElement(QueryClientProvider, { client }, children);
  const { result } = renderHook(
    () => ({ current: useDemoSpeed("b"), change: useSetDemoSpeed("b") }),
    { wrapper },
  );
  expect(reads).toBe(1);

  await result.current.change.mutateAsync("fast");
  answerFirst();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(result.current.current.data).toEqual({ speed: "fast" });
});
