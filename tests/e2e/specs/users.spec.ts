// Users and sessions.
import { expect, signIn, test } from "../support/fixtures";
import { inspect } from "../support/screen";
import { ADMIN } from "../support/server";

test("user is invited, sets a password, and is deactivated", async ({
  adminPage: page,
  browser,
}) => {
  await page.goto("/users");
  await page.getByRole("button", { name: "Invite user" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite user" });
  await dialog.getByLabel("Name").fill("Grace");
  await dialog.getByLabel("Email").fill("grace@example.org");
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  const shown = page.getByRole("dialog", { name: "Link for Grace" });
  const link = (await shown.locator("code").textContent()) ?? "";
  expect(link).toContain("/welcome?token=");
  await inspect(page, "an invitation");
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("grace@example.org")).toBeVisible();
  await inspect(page, "people");

  const context = await browser.newContext();
  const grace = await context.newPage();
  await grace.goto(link);
  await inspect(grace, "welcome");
  await grace.getByRole("textbox", { name: "Password" }).fill("a password of her own");
  await grace.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(grace.getByRole("heading", { name: "No projects yet" })).toBeVisible();
  await grace.goto("/users");
  await expect(grace.getByText("does not exist").first()).toBeVisible();

  await page.getByRole("button", { name: "Actions for Grace" }).click();
  await page.getByRole("menuitem", { name: "Deactivate…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate user" }).click();
  await expect(page.getByText("Deactivated", { exact: true })).toBeVisible();
  await grace.goto("/");
  await expect(grace.getByRole("button", { name: "Sign in" })).toBeVisible();
  await context.close();
});

test("password is reset by a link, with or without revoking forge keys", async ({
  adminPage: page,
  api,
}) => {
  const person = { email: "grace@example.org", password: "a password of hers" };
  await api.post("/api/users", { ...person, name: "Grace", role: "user" });
  await page.goto("/users");
  await page.getByRole("button", { name: "Actions for Grace" }).click();
  await page.getByRole("menuitem", { name: "Reset password" }).click();
  const dialog = page.getByRole("dialog", { name: "Reset password of Grace" });
  await expect(dialog.getByLabel("Revoke their forge keys")).toBeChecked();
  await inspect(page, "reset-password");
  await dialog.getByLabel("Revoke their forge keys").uncheck();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const shown = page.getByRole("dialog", { name: "Link for Grace" });
  await expect(shown.locator("code")).toContainText("/welcome?token=");
  const log = await api.get<{ items: { detail: unknown }[] }>(
    "/api/audit-log?action=user_invited&limit=1",
  );
  expect(log.items[0]?.detail).toEqual({ email: person.email, revoke_keys: false });
});

test("signing out other sessions ends them", async ({ adminPage: page, browser, server }) => {
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, server, ADMIN);
  await page.goto("/account");
  await page.getByRole("button", { name: "Sign out other sessions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out other sessions" }).click();
  await expect(page.getByText("You have no other sessions.")).toBeVisible();
  await inspect(page, "account-one-session");
  await other.goto("/account");
  await expect(other.getByRole("button", { name: "Sign in" })).toBeVisible();
  await context.close();
});
