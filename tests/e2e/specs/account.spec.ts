// Forge keys and the password.
import { expect, test } from "../support/fixtures";
import { ADMIN } from "../support/server";

test("forge key is shown once, works, and stops working when revoked", async ({
  adminPage: page,
  request,
}) => {
  await page.goto("/account");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("laptop");
  await page.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog", { name: "Your new key" });
  const key = (await shown.locator("code").textContent()) ?? "";
  expect(key).toMatch(/^fgk_/);
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(key)).toHaveCount(0);

  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await request.get("/api/projects", { headers })).status();
  };
  expect(await ask()).toBe(200);
  await page.getByRole("button", { name: "Revoke laptop" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByText("Revoked")).toBeVisible();
  expect(await ask()).toBe(401);
});

test("changed password replaces the old one", async ({ adminPage: page, request }) => {
  const fresh = "a password that is new";
  await page.goto("/account");
  await page.getByLabel("Current password").fill("wrong password");
  await page.getByLabel("New password").fill(fresh);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByLabel("Current password")).toHaveAccessibleDescription(/./);

  await page.getByLabel("Current password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed.")).toBeVisible();

  const answer = async (password: string) =>
    (await request.post("/api/session", { data: { email: ADMIN.email, password } })).status();
  expect(await answer(ADMIN.password)).toBe(401);
  expect(await answer(fresh)).toBe(200);
});
