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

test("target half below the sticky header of a list is not too small", async ({ page }) => {
  const content = (size: number) =>
    `<!doctype html><html lang="en"><title>Books</title><style>
    #list { height: 100px; overflow: auto } button { display: block; border: 0; width: ${size}px; height: ${size}px }
    header { position: sticky; top: 0; background: #fff } p { height: 500px }</style>
    <main><h1>Books</h1><div id="list" tabindex="0"><section><header><button aria-label="Fold"></button></header>
    <button aria-label="Lend"></button><p>Notes</p></section></div></main></html>`;
  await page.setContent(content(26));
  await page.locator("#list").evaluate((list) => list.scrollTo(0, 13));
  await expectAccessible(page, "target half below a header");
  await page.setContent(content(13));
  const reported = await expectAccessible(page, "page").then(() => "nothing", String);
  expect(reported).toContain("target-size");
});
