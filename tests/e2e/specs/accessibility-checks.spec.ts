// The checks of accessibility themselves.
import { expect, test } from "@playwright/test";
import { expectAccessible } from "../support/screen";

test("page with violations is rejected, with their rules and places", async ({ page }) => {
  const content = (button: string, color: string) =>
    `<!doctype html><html lang="en"><title>Books</title><main style="background: #fff">
    <h1>Books</h1><button id="lend">${button}</button><p style="color: ${color}">Two weeks</p></main></html>`;
  await page.setContent(content("Lend", "#222"));
  await expectAccessible(page, "accessible page");
  await page.setContent(content("", "#aaa"));
  const reported = await expectAccessible(page, "page").then(() => "nothing", String);
  expect(reported).toContain("button-name");
  expect(reported).toContain("#lend");
  expect(reported).toContain("color-contrast");
});
