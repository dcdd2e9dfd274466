import { screen, waitFor } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import type { User } from "@/lib/api";
import { ConnectionError } from "@/lib/api-error";
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

const NOT_LOADED = new Error("Unable to preload CSS for /assets/review-one.css");

function show(serverScript: string, error: Error = NOT_LOADED) {
  function Broken(): never {
    throw error;
  }
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
  expect(screen.getByText(/A part of the page could not be loaded/)).toBeVisible();
  expect(reload).not.toHaveBeenCalled();
});

it.each([
  [
    new TypeError("x is undefined"),
    "Something went wrong on this page",
    /TypeError: x is undefined/,
  ],
  [
    new ConnectionError(new TypeError("Failed to fetch")),
    "ForgeGuard is not responding",
    /Check your connection/,
  ],
])("says what happened: %s", async (error, title, message) => {
  show("/assets/index-one.js", error);
  expect(await screen.findByRole("heading")).toHaveTextContent(title);
  expect(screen.getByText(message)).toBeVisible();
  expect(screen.getByRole("button", { name: "Copy details" })).toBeVisible();
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
