import { screen, waitFor } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import type { User } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import { RouteError } from "./route-error";
import { routes } from "./router";

const page = (script: string) =>
  `<!doctype html><script type="module" crossorigin src="${script}"></script>`;

beforeEach(() => {
  const script = document.createElement("script");
  script.type = "module";
  script.setAttribute("src", "/assets/index-one.js");
  document.head.replaceChildren(script);
  vi.spyOn(console, "error").mockImplementation(() => {});
});

function Broken(): never {
  throw new Error("Unable to preload CSS for /assets/review-one.css");
}

function show(serverScript: string) {
  const reload = vi.fn();
  vi.stubGlobal("fetch", async () => new Response(page(serverScript)));
  const router = createMemoryRouter([
    { path: "/", Component: Broken, errorElement: <RouteError reload={reload} /> },
  ]);
  renderWithClient(<RouterProvider router={router} />, () => {});
  return reload;
}

it("reloads the page if the server was updated", async () => {
  const reload = show("/assets/index-two.js");
  await waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(screen.getByRole("heading")).toHaveTextContent("ForgeGuard was updated");
});

it("reports an error of the current version without reloading", async () => {
  const reload = show("/assets/index-one.js");
  expect(await screen.findByRole("heading")).toHaveTextContent("Something went wrong on this page");
  expect(screen.getByText(/Unable to preload CSS/)).toBeVisible();
  expect(reload).not.toHaveBeenCalled();
});

it("keeps the header if a page fails to render", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ items: [null], next: null }));
  const router = createMemoryRouter(routes, { initialEntries: ["/users"] });
  renderWithClient(<RouterProvider router={router} />, (client) => {
    client.setQueryData(keys.session, { id: "u1", name: "Ada", role: "admin" } as User);
    client.setQueryData(keys.projects, { items: [] });
    client.setQueryDefaults(keys.projects, { staleTime: Number.POSITIVE_INFINITY });
  });
  expect(
    await screen.findByRole("heading", { name: "Something went wrong on this page" }),
  ).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "ForgeGuard" })).toBeInTheDocument();
});
