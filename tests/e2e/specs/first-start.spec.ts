// From the link that a fresh server prints to the demo project.
import { expect, test } from "../support/fixtures";
import { ADMIN } from "../support/server";

test.use({ hasAdmin: false });

test("the printed link makes the first account and lands in the demo", async ({ page, server }) => {
  await page.goto(server.setupUrl ?? "");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome to ForgeGuard");

  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email").fill("not an address");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Write your email address")).toBeVisible();
  await expect(page.getByText("Use at least 10 characters")).toBeVisible();
  for (const field of ["Email", "Password"]) {
    await expect(page.getByLabel(field, { exact: true })).toHaveAttribute("aria-invalid", "true");
  }

  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/projects\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "The demo build is ready" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Start the demo build" })).toBeEnabled();
});

test("the link works once, and not with another token", async ({ page, server }) => {
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
  await expect(page.getByRole("heading", { name: "Already set up" })).toBeVisible();
});

test("everything leads to the first start while there is no account", async ({ page }) => {
  await page.goto("/account");
  await expect(page).toHaveURL(/\/setup$/);
  await expect(page.getByLabel("Setup token")).toBeVisible();
});
