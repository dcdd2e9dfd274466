import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import { Prefetch } from "./prefetch";

const page = { Component: () => null };

it("loads code and data of a page when its link is hovered or focused", async () => {
  vi.stubGlobal("fetch", async ({ url }: Request) =>
    Response.json(url.endsWith("/shelf") ? { id: "p1", slug: "shelf" } : { items: [], next: null }),
  );
  const [project, builds] = [vi.fn(async () => page), vi.fn(async () => page)];
  const routes = [
    { path: "/projects/:project", lazy: project },
    { path: "/projects/:project/builds", lazy: builds },
  ];
  const client = renderWithClient(
    <>
      <Prefetch routes={routes} />
      <a href="/projects/shelf">Shelf</a>
      <a href="/projects/shelf/builds">Builds</a>
      <a href="/api/builds/b1/report">Report</a>
    </>,
    () => {},
  );
  const user = userEvent.setup();
  await user.hover(screen.getByRole("link", { name: "Shelf" }));
  await vi.waitFor(() => expect(project).toHaveBeenCalled());
  await vi.waitFor(() => expect(client.getQueryData(keys.contracts("p1"))).toEqual([]));
  expect(builds).not.toHaveBeenCalled();
  await user.tab();
  await user.tab();
  expect(screen.getByRole("link", { name: "Builds" })).toHaveFocus();
  await vi.waitFor(() => expect(builds).toHaveBeenCalled());
});
