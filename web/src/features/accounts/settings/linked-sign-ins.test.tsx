import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { LinkedSignIns } from "./linked-sign-ins";

const GITHUB = { id: "p1", name: "GitHub", kind: "github" };
const LINKED = {
  id: "i1",
  provider_name: "GitHub",
  disabled: false,
  email: "ada@example.org",
  created_at: "2026-01-01T00:00:00Z",
  last_used_at: null,
};

it("unlinks a sign-in, and says that the account has no password", async () => {
  let items = [LINKED];
  const deleted: string[] = [];
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    if (method === "GET") {
      return Response.json({ items, has_password: false, providers: [GITHUB] });
    }
    deleted.push(new URL(url).pathname);
    items = [];
    return new Response(null, { status: 204 });
  });
  const user = userEvent.setup();
  renderWithCache(<LinkedSignIns />);
  expect(await screen.findByRole("listitem")).toHaveTextContent("ada@example.org");
  expect(screen.getByText(/Your account has no password/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Unlink GitHub" }));
  await user.click(await screen.findByRole("button", { name: "Unlink sign-in" }));
  expect(await screen.findByText("No linked sign-ins")).toBeVisible();
  expect(deleted).toEqual(["/api/me/identities/i1"]);
});

it("is not shown without providers", async () => {
  const fetch = vi.fn(async () => Response.json({ items: [], has_password: true, providers: [] }));
  vi.stubGlobal("fetch", fetch);
  renderWithCache(<LinkedSignIns />);
  await waitFor(() => expect(fetch).toHaveBeenCalled());
  await waitFor(() => expect(screen.queryByRole("region")).toBeNull());
});
