// Keys and events do not discard text that is being typed.
import { expect, test } from "@playwright/test";
import { ide } from "../support/ide";
import { openLatestBuild, openProject } from "../support/navigation";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 90_000 });

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

test("Escape leaves neither the build nor the text of a field", async ({ page }) => {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  const build = ide(page);
  await build.line.fill("Please use tabs");
  await page.keyboard.press("Escape");
  await expect(build.line).toHaveValue("Please use tabs");
  await build.notepad.fill("Use tabs.");
  await page.keyboard.press("Escape");
  await expect(build.notepad).toHaveValue("Use tabs.");
  await expect(build.screen).toBeVisible();
});
