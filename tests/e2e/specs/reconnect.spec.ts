// Reconnecting: no event is lost or duplicated.
import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { allRows, buildPath, ide } from "../support/ide";
import { Link } from "../support/link";

// `make soak` runs the long round.
const CUTS = process.env.SOAK ? 200 : 40;

test.use({ pace: 15 });

/** A reload removes the mark. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { sameLoad: true }));
const isMarked = (page: Page) => page.evaluate(() => "sameLoad" in window);

/** The rows of a newly opened page. */
async function rowsAnew(page: Page): Promise<string[]> {
  const fresh = await page.context().newPage();
  await fresh.goto(page.url());
  await expect(ide(fresh).log).toBeVisible();
  const rows = await allRows(fresh);
  await fresh.close();
  return rows;
}

test("page reconnects to a killed server and the build continues", async ({
  adminPage: page,
  api,
  server,
}) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  // Only a page that has loaded the activity shows that its connection is lost.
  await expect(build.log).toBeVisible();
  await mark(page);

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

  await expect(build.status).toHaveText("Waiting for review", { timeout: 240_000 });
  await expect(build.verdict).toContainText("Certified");
  expect(await isMarked(page)).toBe(true);
  expect(await api.get(`/api/builds/${started.build}/verify`)).toMatchObject({ ok: true });
});

test("page catches up after its network was offline", async ({ adminPage: page, api, context }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await context.setOffline(true);
  await api.answer(started.build, "Two weeks");
  const sealed = await api.reaches(started.build, "sealed");
  await context.setOffline(false);
  await expect(build.status).toHaveText("Waiting for review", { timeout: 30_000 });
  await build.show("Commits");
  await expect(build.log.getByRole("img", { name: "Commit by ForgeGuard" })).toHaveCount(
    sealed.commit_count,
  );
});

test(`a connection that is cut ${CUTS} times loses no event and doubles none`, async ({
  adminPage: page,
  api,
}) => {
  // Retry delays grow to eight seconds, so the page's clock is advanced.
  await page.clock.install();
  const link = await Link.of(page);
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await expect.poll(() => link.confirmed).toBe(1);
  await mark(page);
  async function cut(times: number) {
    for (let n = 0; n < times; n++) {
      const { begun, confirmed } = link;
      await link.cut();
      await expect
        .poll(
          async () => {
            // Once it connects, an advanced clock would have the page give up on a slow server.
            if (link.begun === begun) await page.clock.fastForward(8_000);
            return link.confirmed > confirmed;
          },
          { intervals: [20] },
        )
        .toBe(true);
    }
  }
  await cut(CUTS / 2);
  await api.answer(started.build, "Two weeks");
  await cut(CUTS / 2);

  const sealed = await api.reaches(started.build, "sealed");
  await expect(build.status).toHaveText("Waiting for review");
  await expect(build.reconnecting).toBeHidden();
  expect(link.confirmed).toBe(1 + CUTS);
  const rows = await allRows(page);
  expect(rows).toEqual(await rowsAnew(page));
  expect(new Set(rows).size).toBe(rows.length);
  const seqs = (await api.events(started.build)).map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: sealed.head_seq }, (_, n) => n + 1));
  await build.show("Commits");
  const commits = build.log.getByRole("img", { name: "Commit by ForgeGuard" });
  await expect(commits).toHaveCount(sealed.commit_count);
  expect(await isMarked(page)).toBe(true);
});

test("page catches up after the machine slept for an hour", async ({
  adminPage: page,
  api,
  context,
}) => {
  await page.clock.install();
  const link = await Link.of(page);
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await expect.poll(() => link.confirmed).toBe(1);
  await mark(page);

  // Asleep: no timers run, and the connection is lost silently.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  link.die();
  await context.setOffline(true);
  await api.answer(started.build, "Two weeks");
  const sealed = await api.reaches(started.build, "sealed");
  await context.clearCookies({ name: "fg_session" });
  await context.setOffline(false);
  await page.clock.fastForward("01:00:00");
  await page.clock.resume();

  await expect(build.status).toHaveText("Waiting for review", { timeout: 30_000 });
  await expect(build.reconnecting).toBeHidden();
  await expect(build.verdict).toContainText("Certified");
  expect((await context.cookies()).map(({ name }) => name)).toContain("fg_session");
  const facts = await build.screen.locator("dl").first().textContent();
  const rows = await allRows(page);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows).toEqual(await rowsAnew(page));
  expect(await isMarked(page)).toBe(true);
  await page.reload();
  await expect(build.screen.locator("dl").first()).toHaveText(facts ?? "");
  expect(facts).toContain(`Commits${sealed.commit_count}`);
});
