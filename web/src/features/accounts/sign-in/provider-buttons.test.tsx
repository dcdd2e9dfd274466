import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { signInProblem } from "../sign-in-problems";
import { ProviderButtons } from "./provider-buttons";

const PAGE = "https://id.example.org/authorize?state=1";
let sent: unknown[];
let fails: boolean;

beforeEach(() => {
  sent = [];
  fails = false;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") {
      const items = [
        { id: "p1", name: "Company", kind: "oidc" },
        { id: "p2", name: "GitHub", kind: "github" },
      ];
      return Response.json({ items, next: null });
    }
    sent.push({ path: new URL(request.url).pathname, body: await request.json() });
    const problem = { title: "Service unavailable", status: 503, detail: "It cannot be reached." };
    if (!fails) return Response.json({ url: PAGE });
    const headers = { "content-type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status: 503, headers });
  });
});

it("opens the provider's page and returns to the requested one", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { ...window.location, href: window.location.href, assign });
  const user = userEvent.setup();
  renderWithCache(<ProviderButtons returnTo="/builds" />);
  await user.click(await screen.findByRole("button", { name: "Sign in with GitHub" }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith(PAGE));
  expect(sent).toEqual([
    { path: "/api/sign-in/p2", body: { return_to: "/builds", invitation: null } },
  ]);
});

it("says why a sign-in cannot be started", async () => {
  fails = true;
  const user = userEvent.setup();
  renderWithCache(<ProviderButtons invitation="token" />);
  await user.click(await screen.findByRole("button", { name: "Sign in with Company" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("It cannot be reached.");
  expect(sent).toMatchObject([{ body: { invitation: "token" } }]);
});

it("explains every problem, also one that it does not know", () => {
  expect(signInProblem(null)).toBeNull();
  expect(signInProblem("denied", "GitHub")?.text).toContain("GitHub");
  expect(signInProblem("link-required", "GitHub")?.text).toContain("account settings");
  expect(signInProblem("toString")).toEqual(signInProblem("failed"));
});
