// Signing in, being brought back, signing out.
import { expect, signIn, test } from "../support/fixtures";
import { ADMIN } from "../support/server";

test("signing in leads to the page that was asked for", async ({ page }) => {
  await page.goto("/account");
  await expect(page).toHaveURL(/\/sign-in\?return=/);
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("do not belong together");

  await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/account$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Account");
});

test("signing out closes the door", async ({ adminPage: page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Menu of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto("/account");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a session that ran out is renewed without a word", async ({ page, server, api }) => {
  await signIn(page, server, ADMIN);
  // What fifteen minutes do: the short-lived cookie is gone, the one for renewing is there.
  await page.context().clearCookies({ name: "fg_session" });
  await page.goto(`/projects/${await api.demo()}`);
  await expect(page.getByRole("heading", { name: "The demo build is ready" })).toBeVisible();
});

test("the theme is kept in this browser", async ({ adminPage: page }) => {
  await page.goto("/");
  const scheme = page.locator("html");
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "light");
  await page.getByRole("button", { name: /^Menu of/ }).click();
  await page.getByRole("menuitem", { name: "Dark theme" }).click();
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.reload();
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "dark");
});
