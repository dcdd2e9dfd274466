// Scroll positions and focus across navigation, and the panes of the build page.
import { expect, test } from "@playwright/test";
import { ide } from "../support/ide";
import { press } from "../support/keyboard";
import { follow, openLatestBuild, openProject, title } from "../support/navigation";
import { expectAccessible } from "../support/screen";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 90_000 });

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

test("page starts at its top and is restored on return", async ({ page }) => {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.setViewportSize({ width: 800, height: 300 });
  await page.goto(server.address);
  const project = page.getByRole("link", { name: "Invoice importer" });
  // A cached page has its full height immediately.
  await follow(project, page.getByRole("region", { name: "Latest build" }));
  await follow(page.getByRole("link", { name: "ForgeGuard" }), title(page, "Projects"));
  await project.scrollIntoViewIfNeeded();
  const scrolled = () => page.evaluate(() => window.scrollY);
  const before = await scrolled();
  expect(before).toBeGreaterThan(0);

  await project.click();
  await expect(page.getByRole("heading", { name: "Invoice importer", level: 1 })).toBeVisible();
  await expect.poll(scrolled).toBe(0);

  await page.goBack();
  await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
  await expect.poll(scrolled).toBe(before);
  await expect(project).toBeFocused();
});

test("panes of the build page are resized, hidden and remembered", async ({ page }) => {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.setViewportSize({ width: 1_920, height: 900 });
  await page.goto(server.address);
  await openProject(page, "Invoice importer");
  await openLatestBuild(page);
  // The link to a sealed build opens another tab than the default.
  await page.goto(server.address + new URL(page.url()).pathname);
  const { screen, log, activity, changes } = ide(page);
  const pane = screen.getByRole("region", { name: "Activity", exact: true });
  await expect(log.getByRole("time").last()).toBeVisible();
  await expect(changes).toHaveAttribute("aria-selected", "true");
  await expect(activity).toBeHidden();

  const width = () => pane.evaluate((it) => it.clientWidth);
  const before = await width();
  await press(screen.getByRole("separator", { name: "Resize activity" }), "ArrowRight");
  await expect.poll(width).toBeGreaterThan(before);
  const resized = await width();
  await expectAccessible(page, "build with three panes");
  await page.reload();
  await expect(log.getByRole("time").last()).toBeVisible();
  await expect.poll(width).toBe(resized);

  await screen.getByRole("button", { name: "Hide activity pane" }).click();
  await expect(pane).toBeHidden();
  await expect(activity).toHaveAttribute("aria-selected", "true");
  await page.reload();
  await expect(screen.getByRole("button", { name: "Show activity pane" })).toBeVisible();
  await expect(pane).toBeHidden();
});
