// The demo build without a mouse, with visible focus throughout.
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { ADMIN } from "../support/server";

/** Presses Tab until `target` is focused; every focused element must be visible. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 60; presses++) {
    if (await hasFocus()) return;
    await page.keyboard.press(key);
  }
  await expect(target, "reached with the keyboard").toBeFocused();
}

test("demo build is completed with the keyboard alone", async ({ page, api }) => {
  await page.goto("/");
  await expect(page.getByLabel("Email")).toBeFocused();
  await page.keyboard.type(ADMIN.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("article").getByRole("link").first());
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Start demo build" }));
  await page.keyboard.press("Enter");

  const build = ide(page);
  await expect(build.answers).toBeVisible({ timeout: 60_000 });
  await tabTo(page, build.answers.getByRole("button", { name: "One month" }));
  await page.keyboard.press("Enter");
  await expect(build.answers).toBeHidden();
  await expect(build.line).toBeFocused();

  await expect(build.status).toHaveText("Sealed", { timeout: 240_000 });
  await tabTo(page, build.activity);
  await page.keyboard.press("ArrowRight");
  await expect(build.changes).toBeFocused();
  await expect(build.changes).toHaveAttribute("aria-selected", "true");
  const files = build.dialog.getByRole("treeitem");
  await tabTo(page, build.dialog.getByRole("treeitem", { selected: true }));
  await page.keyboard.press("Home");
  await expect(files.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(files.nth(1)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(build.dialog).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`/projects/${await api.demo()}$`));
});
