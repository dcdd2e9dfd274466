import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import type { Credential, CredentialOwner } from "./api";
import { CredentialsCard, ProjectCredentialsCard } from "./credentials-card";

const credential = (given: Partial<Credential>): Credential => ({
  id: given.name ?? "",
  scope: "user",
  project: null,
  name: "",
  host: "git.example.org",
  kind: "token",
  username: "git",
  public_key: null,
  created_at: "2026-01-01T00:00:00Z",
  last_used_at: null,
  removable: true,
  ...given,
});
const KEY = credential({
  name: "My key",
  kind: "ssh_key",
  username: null,
  public_key: "ssh-ed25519 AAAA",
});
const ALL = [
  credential({ name: "My token" }),
  KEY,
  credential({ name: "Shared token", scope: "installation", removable: false }),
  credential({ name: "Token of p1", scope: "project", project: "p1" }),
  credential({ name: "Unused token of p1", scope: "project", project: "p1" }),
  credential({ name: "Token of p2", scope: "project", project: "p2" }),
];

/** What the server has, and the requests that changed it. */
let kept: Credential[];
let remote: { credential: string } | null;
let sent: { method: string; path: string; body: unknown }[];

beforeEach(() => {
  kept = ALL;
  remote = null;
  sent = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { method, url } = request;
    const path = new URL(url).pathname;
    if (method === "GET" && path.endsWith("/remote")) return Response.json({ remote });
    if (method === "GET") return Response.json({ items: kept, next: null });
    const body = method === "POST" ? await request.json() : null;
    sent.push({ method, path, body });
    if (method === "POST") {
      const created =
        body.kind === "ssh_key" ? { ...KEY, id: "new", name: "New" } : credential({ name: "New" });
      kept = [...kept, created];
      return Response.json(created, { status: 201 });
    }
    kept = kept.filter(({ id }) => !path.endsWith(`/${encodeURIComponent(id)}`));
    return new Response(null, { status: 204 });
  });
});

const names = async () =>
  (await screen.findAllByRole("listitem")).map(
    (row) => ALL.find(({ name }) => within(row).queryByText(name, { selector: "p" }))?.name,
  );
const show = (owner: CredentialOwner) => renderWithCache(<CredentialsCard owner={owner} />);
const click = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));

it("lists only the owner's credentials, with a public key to copy", async () => {
  show("user");
  expect(await names()).toEqual(["My token", "My key"]);
  expect(screen.getByText("ssh-ed25519 AAAA")).toBeVisible();
  expect(screen.getByRole("button", { name: "Copy public key of My key" })).toBeVisible();
});

it("offers no deletion where the user may not delete", async () => {
  show("installation");
  expect(await names()).toEqual(["Shared token"]);
  expect(screen.queryByRole("button", { name: /Delete/ })).toBeNull();
});

it("deletes after a confirmation that says what stops working", async () => {
  show("user");
  await names();
  await click("Delete My token");
  const dialog = await screen.findByRole("dialog", { name: "Delete “My token”?" });
  expect(dialog).toHaveTextContent("no longer fetched from git.example.org");
  expect(dialog).toHaveTextContent("revoke it on git.example.org too");
  expect(sent).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Delete credential" }));
  await waitFor(async () => expect(await names()).toEqual(["My key"]));
  expect(sent.map(({ method }) => method)).toEqual(["DELETE"]);
});

it("says that there are none", async () => {
  kept = [];
  show("user");
  expect(await screen.findByRole("heading", { name: "No credentials" })).toBeVisible();
});

it("marks the credential that the project uses", async () => {
  remote = { credential: "Token of p1" };
  renderWithCache(<ProjectCredentialsCard projectId="p1" />);
  expect(await names()).toEqual(["Token of p1", "Unused token of p1"]);
  await waitFor(() => {
    const marked = screen
      .getAllByRole("listitem")
      .map((row) => within(row).queryByText("In use") !== null);
    expect(marked).toEqual([true, false]);
  });
});

it("is absent in a project without a remote and without credentials", async () => {
  const client = renderWithCache(<ProjectCredentialsCard projectId="p3" />);
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(screen.queryByRole("region")).toBeNull();
});

it("requires a token, and adds it for the project", async () => {
  show({ project: "p1" });
  await names();
  await click("Add credential");
  await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "CI");
  await userEvent.type(screen.getByRole("textbox", { name: "Host" }), "github.com");
  await click("Add token");
  expect(await screen.findByText("Enter a token")).toBeVisible();
  expect(sent).toEqual([]);
  await userEvent.type(screen.getByLabelText(/^Access token/), "tok-1");
  await click("Add token");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const body = { scope: "project", project: "p1", kind: "token", name: "CI", host: "github.com" };
  expect(sent.map(({ body }) => body)).toEqual([{ ...body, token: "tok-1" }]);
});

it("generates a key and shows its public part", async () => {
  show("user");
  await names();
  await click("Add credential");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "ssh_key");
  await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "Key");
  await userEvent.type(screen.getByRole("textbox", { name: "Host" }), "git.example.org");
  await click("Generate key");
  const dialog = await screen.findByRole("dialog", { name: "Your new deploy key" });
  expect(within(dialog).getByText("ssh-ed25519 AAAA")).toBeVisible();
  const body = { scope: "user", kind: "ssh_key", name: "Key", host: "git.example.org" };
  expect(sent.map(({ body }) => body)).toEqual([body]);
});
