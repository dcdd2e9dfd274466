// Following, paging and searching the activity, online and offline.
import { expect, type Page, test } from "@playwright/test";
import { ide } from "../support/ide";
import { press } from "../support/keyboard";
import { openLatestBuild, openProject } from "../support/navigation";
import { expectAccessible } from "../support/screen";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 90_000 });

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

async function openBuild(page: Page, hash = "") {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await openProject(page, "A very long journal");
  // The newest events do not fill the list.
  const earlier = page.waitForResponse(/\/events\?.*before=/);
  await openLatestBuild(page);
  await earlier;
  const { log } = ide(page);
  await expect(log.getByRole("time").last()).toBeVisible();
  // A list that is still scrolling to its end would undo the first scrolling.
  await expect(log.locator("[aria-busy]")).toHaveAttribute("aria-busy", "false");
  if (hash) {
    await page.goto(`${page.url()}${hash}`);
    await expect(log.locator("[aria-current=location]")).toBeInViewport({ ratio: 1 });
  }
}

const EVENT_PAGES = /\/api\/builds\/[^/]+\/events\?/;
const goOffline = (page: Page) => page.route(EVENT_PAGES, (route) => route.abort());
const goOnline = (page: Page) => page.unroute(EVENT_PAGES);

test("list stops following while an earlier part is read", async ({ page }) => {
  await openBuild(page);
  const { screen, log } = ide(page);
  const follow = screen.getByRole("switch", { name: "Follow" });
  const jump = screen.getByRole("button", { name: "Jump to latest" });
  await expect(follow).toBeChecked();
  await expect(jump).toBeHidden();

  await log.hover();
  await page.mouse.wheel(0, -2_000);
  await expect(jump).toBeVisible();
  await expect(follow).not.toBeChecked();

  await jump.click();
  await expect(jump).toBeHidden();
  await expect(follow).toBeChecked();
});

test("calls that are opened near the end stay in view", async ({ page }) => {
  await openBuild(page);
  const { screen, log } = ide(page);
  const rollup = log.getByRole("button", { name: /^Read 25 files/, expanded: false }).last();
  const opened = log.getByRole("button", { name: /^Read 25 files/, expanded: true });
  await rollup.click();
  await expect(screen.getByRole("switch", { name: "Follow" })).not.toBeChecked();
  await expect(screen.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  await expect(opened).toBeInViewport({ ratio: 1 });
});

test("failed page load is reported and retried", async ({ page }) => {
  await openBuild(page);
  const { screen, log } = ide(page);
  await goOffline(page);
  await log.hover();
  const failure = screen.getByRole("alert").filter({ hasText: "Could not load earlier activity" });
  await expect(async () => {
    await page.mouse.wheel(0, -20_000);
    await expect(failure).toBeInViewport({ timeout: 500 });
  }).toPass();

  await goOnline(page);
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(failure).toBeHidden();
});

test("failed search is reported and continued", async ({ page }) => {
  await openBuild(page);
  const { screen, log } = ide(page);
  const failure = screen.getByRole("alert").filter({ hasText: "Could not load earlier activity" });
  await goOffline(page);
  await screen.getByRole("textbox", { name: "Search activity" }).fill("file-48000.js");
  await screen.getByRole("button", { name: "Search earlier" }).click();
  await expect(failure).toBeVisible();

  await goOnline(page);
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(log.getByText("src/part/file-48000.js")).toBeVisible();
});

test("list stays if the latest activity cannot be loaded", async ({ page }) => {
  await openBuild(page, "#41234");
  const { screen, log } = ide(page);
  const jump = screen.getByRole("button", { name: "Jump to latest" });
  const rows = await log.locator("[data-row]").count();
  await goOffline(page);
  await jump.click();
  await expect(page.getByRole("alert")).toContainText("Could not load the latest activity");
  await expect(log.locator("[aria-current=location]")).toBeVisible();
  expect(await log.locator("[data-row]").count()).toBe(rows);

  await goOnline(page);
  await jump.click();
  await expect(jump).toBeHidden();
  await expect(screen.getByRole("switch", { name: "Follow" })).toBeChecked();
});

test("search matches displayed text, not stored data", async ({ page }) => {
  await openBuild(page);
  const { screen, log } = ide(page);
  const search = screen.getByRole("textbox", { name: "Search activity" });
  await search.fill("call_id");
  await expect(screen.getByText("No matching activity")).toBeVisible();
  await search.fill("Read src/part");
  await expect(log.getByText(/src\/part/).first()).toBeVisible();
});

test("rolled-up calls open by mouse and keyboard and stay open", async ({ page }) => {
  await openBuild(page);
  const { activity, changes, log, screen } = ide(page);
  await screen.getByRole("switch", { name: "Follow" }).click();
  const rollup = log.getByRole("button", { name: /^Read \d+ files/ }).last();
  const rows = log.locator("[data-nested]");
  await expect(rollup).toHaveAttribute("aria-expanded", "false");
  await expect(rows).toHaveCount(0);
  await rollup.click();
  await expect(rows.first()).toContainText("src/part/file-");

  await changes.click();
  await activity.click();
  await expect(rollup).toHaveAttribute("aria-expanded", "true");
  await expectAccessible(page, "activity with an open line");
  await press(rollup, "Enter");
  await expect(rollup).toHaveAttribute("aria-expanded", "false");
  await expect(rows).toHaveCount(0);
});
