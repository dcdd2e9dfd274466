import { screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, it, vi } from "vitest";
import type { User } from "@/lib/api";
import { paths } from "@/lib/paths";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import { routes } from "./router";

it.each([
  paths.reviews,
  paths.review("b1"),
  paths.auditLog,
  paths.users,
  paths.installationSettings,
])("%s does not exist for a user who is no administrator", async (path) => {
  vi.stubGlobal("fetch", async () => Response.json({ items: [], next: null }));
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  renderWithClient(<RouterProvider router={router} />, (client) =>
    client.setQueryData(keys.session, { id: "u1", name: "Ben", role: "user" } as User),
  );
  expect(
    await screen.findByRole("heading", { name: "This page does not exist" }),
  ).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Try again" })).not.toBeInTheDocument();
});
