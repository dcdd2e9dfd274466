// Signing in with a provider, from its settings to the linked account.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/fixtures";
import { CLIENT, IdentityProvider } from "../support/identity-provider";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

const configured = async () => {
  const file = join(await mkdtemp(join(tmpdir(), "forgeguard-e2e-")), "forgeguard.toml");
  await writeFile(file, '[network]\nenabled = true\nallow = ["127.0.0.0/8"]\n');
  return { FORGEGUARD_CONFIG: file };
};

test.use({
  // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
  settings: async ({}, use) => use(await configured()),
});
test.describe.configure({ timeout: 180_000 });

let provider: IdentityProvider;
test.beforeEach(async () => {
  provider = await IdentityProvider.start();
});
test.afterEach(() => provider.stop());

test("provider is added, linked in the account settings, and signs in", async ({
  adminPage: page,
  server,
}) => {
  await page.goto("/settings");
  const card = page.getByRole("region", { name: "Sign-in providers" });
  await expect(card).toContainText(`${server.address}/api/sign-in/callback`);
  await card.getByRole("button", { name: "Add provider" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Company");
  await dialog.getByLabel("Issuer URL").fill(provider.url);
  await dialog.getByLabel("Client ID").fill(CLIENT.id);
  await dialog.getByLabel("Client secret").fill(CLIENT.secret);
  await inspect(page, "sign-in-provider-new");
  await dialog.getByRole("button", { name: "Add provider" }).click();
  await card.getByRole("button", { name: "Test Company" }).click();
  await expect(card.getByRole("status")).toContainText("can be reached");
  await inspect(page, "sign-in-providers");

  // An equal address is not enough.
  await page.context().clearCookies();
  await page.goto("/account");
  await page.getByRole("button", { name: "Sign in with Company" }).click();
  await follow(page.getByRole("link", { name: "Deny" }), page.getByRole("alert"));
  await expect(page.getByRole("alert")).toContainText("Company did not allow the sign-in");
  await inspect(page, "sign-in-denied");
  await page.getByRole("button", { name: "Sign in with Company" }).click();
  await follow(page.getByRole("link", { name: "Allow" }), page.getByRole("alert"));
  await expect(page.getByRole("alert")).toContainText("link Company in your account settings");

  await page.getByLabel("Email", { exact: true }).fill("admin@example.org");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/account$/);
  const linked = page.getByRole("region", { name: "Linked sign-ins" });
  await linked.getByRole("button", { name: "Link Company" }).click();
  await follow(page.getByRole("link", { name: "Allow" }), linked);
  await expect(linked.getByRole("status")).toContainText("You can now sign in with Company.");
  await expect(linked.getByRole("listitem")).toContainText("admin@example.org");
  await inspect(page, "linked-sign-ins");

  await page.context().clearCookies();
  await page.goto("/account");
  await page.getByRole("button", { name: "Sign in with Company" }).click();
  await follow(page.getByRole("link", { name: "Allow" }), linked);
  await expect(page).toHaveURL(/\/account$/);
  await expect(linked.getByRole("listitem")).toContainText("last used");
});

test("invitation is accepted with a provider", async ({ adminPage: page, browser, server }) => {
  await page.request.post("/api/settings/sign-in-providers", {
    headers: { origin: server.address },
    data: {
      name: "Company",
      kind: "oidc",
      issuer_url: provider.url,
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
    },
  });
  const invited = await page.request.post("/api/users", {
    headers: { origin: server.address },
    data: { email: "eve@example.org", name: "Eve", role: "user" },
  });
  const { invitation } = (await invited.json()) as { invitation: { path: string } };
  provider.person = { sub: "2", email: "eve@example.com", email_verified: true, name: "Eve" };
  const other = await (await browser.newContext({ baseURL: server.address })).newPage();
  await other.goto(invitation.path);
  await inspect(other, "welcome-with-provider");
  await other.getByRole("button", { name: "Sign in with Company" }).click();
  const menu = other.getByRole("button", { name: /^Account menu of/ });
  await follow(other.getByRole("link", { name: "Allow" }), menu);
  await other.goto("/account");
  await expect(other.getByText("eve@example.org")).toBeVisible();
  const linked = other.getByRole("region", { name: "Linked sign-ins" });
  await expect(linked).toContainText("Your account has no password");
  await linked.getByRole("button", { name: "Unlink Company" }).click();
  await other.getByRole("button", { name: "Unlink sign-in" }).click();
  await expect(other.getByText("This is the only way to sign in")).toBeVisible();
});
