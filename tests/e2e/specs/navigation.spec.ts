// Scroll positions across navigation.
import { expect, test } from "@playwright/test";
import { follow, title } from "../support/navigation";
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
});
