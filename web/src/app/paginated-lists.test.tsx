import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { useForgeKeys } from "@/features/accounts/settings/api";
import { useUsers } from "@/features/accounts/users/api";
import { useBuilds } from "@/features/builds/api";
import { useAnswers, useOpenQuestions, useQuestions } from "@/features/builds/clarifications/api";
import { useErrors } from "@/features/builds/errors/api";
import { useGenerations } from "@/features/generation/api";
import { useProjects } from "@/features/projects/api";

const COUNT = 450;
const MAX_PAGE_SIZE = 200;
const DEFAULT_PAGE_SIZE = 50;

/** A server with `COUNT` items in every list, which returns them in pages. */
beforeEach(() => {
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const query = new URL(url).searchParams;
    const limit = Number(query.get("limit") ?? DEFAULT_PAGE_SIZE);
    if (limit > MAX_PAGE_SIZE) return Response.json({ title: "Bad request" }, { status: 400 });
    const from = Number(query.get("after") ?? 0);
    const to = Math.min(COUNT, from + limit);
    const items = Array.from({ length: to - from }, (_, index) => ({
      id: String(from + index),
      status: "sealed",
    }));
    return Response.json({ items, next: to < COUNT ? String(to) : null });
  });
});

it.each<[string, () => { data?: unknown }]>([
  ["projects", useProjects],
  ["users", useUsers],
  ["builds", () => useBuilds("p1")],
  ["errors of a build", () => useErrors("b1")],
  ["questions of a build", () => useQuestions("b1")],
  ["open questions", useOpenQuestions],
  ["answers", () => useAnswers("p1")],
  ["generations", () => useGenerations("p1")],
  ["forge keys", useForgeKeys],
])("the list of %s has the items of all pages", async (_, useList) => {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result, unmount } = renderHook(useList, { wrapper });
  await waitFor(() => expect(result.current.data).toBeDefined());
  const data = result.current.data as unknown[] | { items: unknown[] };
  expect("items" in data ? data.items : data).toHaveLength(COUNT);
  unmount();
});
