// From the setup link to the demo project.
import { expect, test } from "../support/fixtures";
import { ADMIN } from "../support/server";

test.use({ hasAdmin: false });

test("setup link creates the first account and opens the demo", async ({ page, server }) => {
  await page.goto(server.setupUrl ?? "");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome to ForgeGuard");

  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email").fill("not an address");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Enter your email address")).toBeVisible();
  await expect(page.getByText("Use at least 10 characters")).toBeVisible();
  for (const field of ["Email", "Password"]) {
    await expect(page.getByLabel(field, { exact: true })).toHaveAttribute("aria-invalid", "true");
  }

  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/projects\/shelf$/);
  await expect(page.getByRole("heading", { name: "Try the demo build" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Start demo build" })).toBeEnabled();
});

test("setup link works once, and only with its token", async ({ page, server }) => {
  const link = new URL(server.setupUrl ?? "");
  const create = async () => {
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Email").fill(ADMIN.email);
    await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await page.getByRole("button", { name: "Create account" }).click();
  };

  await page.goto(`${link.pathname}?token=made-up`);
  await create();
  await expect(page.getByRole("alert")).toContainText("This link");

  await page.goto(link.href);
  await create();
  await expect(page).toHaveURL(/\/projects\//);

  await page.goto(link.href);
  await expect(page.getByRole("heading", { name: "ForgeGuard is already set up" })).toBeVisible();
});

test("all pages lead to setup while there is no account", async ({ page }) => {
  await page.goto("/account");
  await expect(page).toHaveURL(/\/setup$/);
  await expect(page.getByLabel("Setup token")).toBeVisible();
});
