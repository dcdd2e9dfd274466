// Changes of a large build: 500 files and a diff of 5,000 lines, virtualized.
import { expect, type Page, test } from "@playwright/test";
import { ide } from "../support/ide";
import { openLatestBuild, openProject } from "../support/navigation";
import { expectAccessible, inspect } from "../support/screen";
import { StandIn } from "../support/stand-in";

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

/** Opens the Changes tab of the build with 500 files and returns its address. */
async function openChanges(page: Page): Promise<string> {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  await ide(page).changes.click();
  await expect(ide(page).screen.getByRole("tree", { name: "Changed files" })).toBeVisible();
  return page.url();
}

test("500 files are a virtualized tree that can be searched and collapsed", async ({ page }) => {
  await openChanges(page);
  const { screen } = ide(page);
  const files = screen.getByRole("treeitem");
  await expect(screen.getByText("500 files")).toBeVisible();
  await expect(files.first()).toBeVisible();
  expect(await files.count(), "rows in the page at once").toBeLessThan(80);

  await screen.getByRole("treeitem", { name: /^assets\/logo.png, added, image/ }).click();
  await expect(screen.getByRole("figure").getByText(/^\d+ × \d+$/)).toBeVisible();
  await expect(screen.getByRole("img", { name: "After" })).toBeVisible();
  await expect(screen.getByRole("img", { name: "Before" })).toHaveCount(0);
  await inspect(page, "build-changes-picture");
  const file = (name: RegExp) => screen.getByRole("treeitem", { name });
  await page.keyboard.press("j");
  await expect(file(/sound\.bin/)).toHaveAttribute("aria-selected", "true");
  await expect(screen.getByRole("heading", { name: "A binary file was changed" })).toBeVisible();
  await page.keyboard.press("j");
  await expect(screen.getByRole("heading", { name: "Renamed from docs/manual.md" })).toBeVisible();
  await expect(file(/guide\.md/)).toHaveAttribute("aria-selected", "true");
  await inspect(page, "build-changes-renamed");

  const parts = screen.getByRole("treeitem", { name: "Folder src", exact: true });
  await parts.click();
  await expect(parts).toHaveAttribute("aria-expanded", "false");
  await expect(screen.getByRole("treeitem", { name: "Folder part-00" })).toHaveCount(0);

  await page.keyboard.press("t");
  await page.keyboard.type("file-123");
  await expect(screen.getByText("1 of 500 files")).toBeVisible();
  await expect(screen.getByRole("treeitem", { name: /file-123\.js/ })).toBeVisible();
});

test("chosen file that was scrolled away is reached with Tab", async ({ page }) => {
  await openChanges(page);
  const { screen } = ide(page);
  const tree = screen.getByRole("tree", { name: "Changed files" });
  const chosen = screen.getByRole("treeitem", { name: /^assets\/logo.png, added, image/ });
  await chosen.click();
  await page.keyboard.press("t");
  await tree.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect(chosen).toHaveCount(0);
  await expectAccessible(page, "the tree");
  await page.keyboard.press("Tab");
  await expect(chosen).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(chosen).not.toBeFocused();
});

test("address opens one of 5,000 lines, inline and side by side", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const changes = await openChanges(page);
  await page.goto(`${changes}&file=src/long.js&line=R1800`);
  const diff = ide(page).screen.getByRole("region", { name: "Changes in src/long.js" });
  const marked = diff.locator("[aria-current=location]");
  await expect(marked).toContainText("compute(1799)");
  await expect(marked).toBeInViewport({ ratio: 1 });
  expect(await diff.locator("[data-kind]").count(), "lines in the page").toBeLessThan(200);
  await expect(marked.locator("mark")).toHaveText("compute(1799)");

  await page.keyboard.press("v");
  await expect(marked).toBeInViewport({ ratio: 1 });
  const old = diff.getByText('"old 1799"');
  await expect(old).toBeVisible();
  const [left, right] = [await old.boundingBox(), await marked.boundingBox()];
  expect(Math.abs((left?.y ?? 0) - (right?.y ?? 99))).toBeLessThan(8);
  expect(left?.x ?? 0).toBeLessThan(right?.x ?? 0);
  // Heights above it differ from run to run.
  await marked.evaluate((line) => line.scrollIntoView({ block: "start" }));
  await inspect(page, "build-changes-split");

  await diff.locator("[data-line=L1801]").click();
  await expect(page.getByText("Link copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  const lineOf = () => new URL(page.url()).searchParams.get("line");
  expect(lineOf()).toBe("L1801");
  await expect(marked).toContainText('"old 1800"');

  // Without a pointer, the link is to the first visible line.
  await page.keyboard.press("y");
  await expect.poll(lineOf).not.toBe("L1801");
  await expect(marked).toBeInViewport();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toBe(page.url());
});
