import { act, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import type { User } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import { routes } from "./router";

beforeEach(() => {
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    if (url.endsWith("/api/setup")) return Response.json({ needed: false });
    if (url.includes("/api/session")) return Response.json({}, { status: 401 });
    return Response.json({ items: [], next: null });
  });
});

const show = (session: User | null) =>
  renderWithClient(
    <RouterProvider router={createMemoryRouter(routes, { initialEntries: ["/account"] })} />,
    (client) => client.setQueryData(keys.session, session),
  );
const signIn = () => screen.findByRole("heading", { name: "Sign in" });

it("tells users that their session has ended", async () => {
  const client = show({ id: "u1", name: "Ada", role: "user" } as User);
  await screen.findByRole("link", { name: "ForgeGuard" });
  act(() => void client.setQueryData(keys.session, null));
  await signIn();
  expect(screen.getByText(/Your session has ended/)).toBeVisible();
});

it("does not mention sessions to visitors who had none", async () => {
  show(null);
  await signIn();
  expect(screen.queryByText(/session has ended/)).not.toBeInTheDocument();
});
