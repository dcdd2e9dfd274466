// Accounts of others, and where one is signed in.
import { expect, signIn, test } from "../support/fixtures";
import { inspect } from "../support/screen";
import { ADMIN } from "../support/server";

test("somebody is invited, sets a password, and is shut out again", async ({
  adminPage: page,
  browser,
}) => {
  await page.goto("/users");
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite somebody" });
  await dialog.getByLabel("Name").fill("Grace");
  await dialog.getByLabel("Email").fill("grace@example.org");
  await dialog.getByRole("button", { name: "Invite" }).click();
  const shown = page.getByRole("dialog", { name: "A link for Grace" });
  const link = (await shown.locator("code").textContent()) ?? "";
  expect(link).toContain("/welcome?token=");
  await inspect(page, "an invitation");
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText("grace@example.org")).toBeVisible();
  await inspect(page, "people");

  const context = await browser.newContext();
  const grace = await context.newPage();
  await grace.goto(link);
  await inspect(grace, "welcome");
  await grace.getByLabel("Password").fill("a password of her own");
  await grace.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(grace.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  await grace.goto("/users");
  await expect(grace.getByText("does not exist").first()).toBeVisible();

  await page.getByRole("button", { name: "Actions for Grace" }).click();
  await page.getByRole("menuitem", { name: "Shut the account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Shut the account" }).click();
  await expect(page.getByText("Shut", { exact: true })).toBeVisible();
  await grace.goto("/");
  await expect(grace.getByRole("button", { name: "Sign in" })).toBeVisible();
  await context.close();
});

test("signing out everywhere else ends the other browser's session", async ({
  adminPage: page,
  browser,
  server,
}) => {
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, server, ADMIN);
  await page.goto("/account");
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(page.getByText("You are signed in here only.")).toBeVisible();
  await inspect(page, "account");
  await other.goto("/account");
  await expect(other.getByRole("button", { name: "Sign in" })).toBeVisible();
  await context.close();
});
