// The server dies under an open page and comes back: the page heals and nothing is lost or doubled.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";

test.use({ pace: 15 });

test("a killed server is waited for and the build goes on", async ({
  adminPage: page,
  api,
  server,
}) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await page.evaluate(() => Object.assign(window, { sameLoad: true }));

  await server.kill();
  await expect(build.reconnecting).toBeVisible();
  await server.startAgain();
  await expect(build.reconnecting).toBeHidden();

  await expect(build.answers).toBeVisible({ timeout: 60_000 });
  await server.kill();
  await expect(build.reconnecting).toBeVisible();
  await server.startAgain();
  await expect(build.reconnecting).toBeHidden();
  await build.answers.getByRole("button", { name: "Three weeks" }).click();

  await expect(build.status).toHaveText("Sealed", { timeout: 240_000 });
  await expect(build.verdict).toContainText("Certified");
  expect(await page.evaluate(() => "sameLoad" in window)).toBe(true);
  expect(await api.get(`/api/builds/${started.build}/verify`)).toMatchObject({ ok: true });
});

test("a page whose network was gone catches up", async ({ adminPage: page, api, context }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await context.setOffline(true);
  await api.answer(started.build, "Two weeks");
  const sealed = await api.reaches(started.build, "sealed");
  await context.setOffline(false);
  await expect(build.status).toHaveText("Sealed", { timeout: 30_000 });
  await build.show("Commits");
  await expect(build.log.getByRole("img", { name: "Commit by ForgeGuard" })).toHaveCount(
    sealed.commit_count,
  );
});
