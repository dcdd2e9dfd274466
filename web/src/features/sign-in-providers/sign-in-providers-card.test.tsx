import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import type { SignInProvider } from "./api";
import { SignInProvidersCard } from "./sign-in-providers-card";

const REDIRECT = "https://forge.example/api/sign-in/callback";
const COMPANY: SignInProvider = {
  id: "p1",
  name: "Company",
  kind: "oidc",
  issuer_url: "https://id.example.org",
  client_id: "forgeguard",
  enabled: false,
  first_sign_in: "domains",
  allowed_domains: ["example.org", "example.com"],
  role_claim: null,
  admin_value: null,
  linked_accounts: 2,
  created_at: "2026-01-01T00:00:00Z",
};

/** What the server has, and the requests that changed it. */
let kept: SignInProvider[];
let problem: string | null;
let sent: { method: string; path: string; body: unknown }[];

beforeEach(() => {
  kept = [COMPANY];
  problem = null;
  sent = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { method, url } = request;
    const path = new URL(url).pathname;
    if (method === "GET") return Response.json({ items: kept, redirect_url: REDIRECT });
    const text = await request.text();
    sent.push({ method, path, body: text ? JSON.parse(text) : null });
    if (path.endsWith("/test")) return Response.json({ problem });
    if (method === "DELETE") {
      kept = [];
      return new Response(null, { status: 204 });
    }
    return Response.json(COMPANY);
  });
});

it("shows the redirect URL, the policy and the result of a test", async () => {
  const user = userEvent.setup();
  renderWithCache(<SignInProvidersCard />);
  expect(await screen.findByText(REDIRECT)).toBeVisible();
  const row = screen.getByRole("listitem");
  expect(row).toHaveTextContent("users of allowed email domains");
  expect(row).toHaveTextContent("2 linked accounts");
  expect(row).toHaveTextContent("Disabled");

  await user.click(screen.getByRole("button", { name: "Test Company" }));
  await waitFor(() => expect(within(row).getByRole("status")).toHaveTextContent("can be reached"));
  problem = "there is no document at https://id.example.org";
  await user.click(screen.getByRole("button", { name: "Test Company" }));
  await waitFor(() => expect(within(row).getByRole("status")).toHaveTextContent(problem ?? ""));
});

it("adds GitHub with its usual address and without a role claim", async () => {
  const user = userEvent.setup();
  renderWithCache(<SignInProvidersCard />);
  await user.click(await screen.findByRole("button", { name: "Add provider" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByLabelText("Role claim")).toBeVisible();
  await user.selectOptions(dialog.getByLabelText("Kind"), "github");
  expect(dialog.getByLabelText("Address of the server")).toHaveValue("https://github.com");
  expect(dialog.queryByLabelText("Role claim")).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Add provider" }));
  expect(dialog.getByLabelText("Client secret")).toHaveAccessibleDescription(/Enter the client/);
  expect(sent).toEqual([]);

  await user.type(dialog.getByLabelText("Name"), "GitHub");
  await user.type(dialog.getByLabelText("Client ID"), "abc");
  await user.type(dialog.getByLabelText("Client secret"), "hunter2");
  await user.click(dialog.getByRole("button", { name: "Add provider" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    method: "POST",
    body: {
      name: "GitHub",
      kind: "github",
      issuer_url: "https://github.com",
      client_secret: "hunter2",
      first_sign_in: "invited",
      role_claim: null,
    },
  });
});

it("keeps the secret when a provider is edited, and says what a removal means", async () => {
  const user = userEvent.setup();
  renderWithCache(<SignInProvidersCard />);
  await user.click(await screen.findByRole("button", { name: "Edit Company" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByLabelText("Allowed domains")).toHaveValue("example.org, example.com");
  await user.click(dialog.getByLabelText("Show it on the sign-in page"));
  await user.click(dialog.getByRole("button", { name: "Save provider" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    method: "PUT",
    body: {
      enabled: true,
      client_secret: null,
      allowed_domains: ["example.org", "example.com"],
    },
  });

  await user.click(screen.getByRole("button", { name: "Remove Company" }));
  const asked = await screen.findByRole("dialog");
  expect(asked).toHaveTextContent("2 accounts can no longer sign in with it");
  await user.click(within(asked).getByRole("button", { name: "Remove provider" }));
  expect(await screen.findByText(/No providers/)).toBeVisible();
});
