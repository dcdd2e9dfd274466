// Signing in and out, and renewing sessions.
import { expect, signIn, test } from "../support/fixtures";
import { ADMIN } from "../support/server";

test("signing in returns to the requested page", async ({ page }) => {
  await page.goto("/account");
  await expect(page).toHaveURL(/\/sign-in\?return=/);
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("Incorrect email or password");

  await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/account$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Account");
});

test("signing out ends the session", async ({ adminPage: page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Account menu of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto("/account");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("expired session is renewed silently", async ({ page, server, api }) => {
  await signIn(page, server, ADMIN);
  // After fifteen minutes, only the refresh cookie is left.
  await page.context().clearCookies({ name: "fg_session" });
  await page.goto(`/projects/${await api.demo()}`);
  await expect(page.getByRole("heading", { name: "Try the demo build" })).toBeVisible();
});

test("theme is remembered in the browser", async ({ adminPage: page }) => {
  await page.goto("/");
  const scheme = page.locator("html");
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "light");
  await page.getByRole("button", { name: /^Account menu of/ }).click();
  await page.getByRole("menuitem", { name: "Dark theme" }).click();
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.reload();
  await expect(scheme).toHaveAttribute("data-mantine-color-scheme", "dark");
});
