// A build of 100,000 events: fast to open, virtualized, in bounded memory.
// The server's side is covered by the benchmarks.
import { expect, type Page, test } from "@playwright/test";
import { ide } from "../support/ide";
import { follow, latestBuild, openLatestBuild, title } from "../support/navigation";
import { StandIn } from "../support/stand-in";

// `make soak` runs the long round.
const FOLLOWED = process.env.SOAK ? 100_000 : 20_000;

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

async function openProject(page: Page, name: string) {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await follow(page.getByRole("link", { name }), title(page, name));
}

/** Bytes that the page receives from the click on a build to its newest row. */
async function receivedWhileOpening(page: Page, name: string): Promise<number> {
  await openProject(page, name);
  const link = latestBuild(page);
  await link.waitFor();
  let bytes = 0;
  const devtools = await page.context().newCDPSession(page);
  devtools.on("Network.dataReceived", ({ dataLength }) => {
    bytes += dataLength;
  });
  devtools.on("Network.webSocketFrameReceived", ({ response }) => {
    bytes += response.payloadData.length;
  });
  await devtools.send("Network.enable");
  // The connection of the page before may be the one that is used.
  await page.reload();
  await link.waitFor();
  bytes = 0;
  await link.click();
  await expect(ide(page).log.getByRole("time").last()).toBeVisible();
  return bytes;
}

test("opening a build loads a part of the journal, however long it is", async ({ page }) => {
  const short = await receivedWhileOpening(page, "A short journal");
  const long = await receivedWhileOpening(page, "A very long journal");
  expect(long).toBeLessThan(2 * short);
});

test("scrolling renders few rows and loads more", async ({ page }) => {
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  const { log, screen } = ide(page);
  const rows = log.getByRole("time");
  await expect(rows.last()).toBeVisible();
  const earliest = () => log.locator("[data-item-index]").first().getAttribute("data-item-index");
  const start = Number(await earliest());

  await log.hover();
  const drawn: number[] = [];
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -4_000);
        drawn.push(await rows.count());
        return start - Number(await earliest());
      },
      { timeout: 60_000, intervals: [50] },
    )
    .toBeGreaterThan(200);
  expect(Math.max(...drawn), "rows in the page at once").toBeLessThan(150);

  await screen.getByRole("button", { name: "Jump to latest" }).click();
  await expect(screen.getByRole("button", { name: "Jump to latest" })).toBeHidden();
});

test("address opens an old event, and j, k and y work from there", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  const { log, screen } = ide(page);
  await expect(log.getByRole("time").last()).toBeVisible();
  const build = page.url();

  await page.goto(`${build}#41234`);
  const marked = log.locator("[aria-current=location]");
  await expect(marked).toBeInViewport({ ratio: 1 });
  const words = await marked.textContent();
  await expect(screen.getByRole("button", { name: "Jump to latest" })).toBeVisible();

  await page.keyboard.press("j");
  await expect(log.locator("[data-row]:focus-within")).not.toHaveText(words ?? "");
  await page.keyboard.press("k");
  await expect(log.locator("[data-row]:focus-within")).toHaveText(words ?? "");
  await page.keyboard.press("j");
  await page.keyboard.press("y");
  await expect(page.getByText("Link copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  expect(page.url()).toMatch(/#4123[5-9]$/);

  await screen.getByRole("button", { name: "Jump to latest" }).click();
  await expect(log.getByRole("time").last()).toBeVisible();
  await expect(screen.getByRole("button", { name: "Jump to latest" })).toBeHidden();
});

test("search loads earlier events until one matches", async ({ page }) => {
  const text = "src/part/file-45000.js";
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  const { log, screen } = ide(page);
  await expect(log.getByRole("time").last()).toBeVisible();
  await page.keyboard.press("t");
  await page.keyboard.type(text);
  // Until then, the button moves as fewer rows match.
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get("q") === text);
  await screen.getByRole("button", { name: "Search earlier" }).click();
  await expect(log.getByText(text)).toBeVisible({ timeout: 60_000 });
});

test(`open tab follows ${FOLLOWED} events in bounded memory`, async ({ page }) => {
  await openProject(page, "A very long journal");
  await openLatestBuild(page);
  const { log, screen } = ide(page);
  const rows = log.getByRole("time");
  await expect(rows.last()).toBeVisible();
  const devtools = await page.context().newCDPSession(page);
  const heap = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  const build = await server.buildAt(page.url());
  // With a full window, memory should no longer grow.
  await expect(log.getByText(await server.pour(build, 8_000, 2_000))).toBeVisible();
  const before = await heap();

  let last: string | undefined;
  const poured = server.pour(build, FOLLOWED, 2_000).then((path) => {
    last = path;
  });
  const drawn: number[] = [];
  await expect
    .poll(
      async () => {
        drawn.push(await rows.count());
        return last;
      },
      { timeout: 120_000, intervals: [250] },
    )
    .toBeDefined();
  await poured;
  // Rendering may lag behind on a slow machine.
  await expect(log.getByText(last ?? "")).toBeVisible({ timeout: 90_000 });
  await expect(screen.getByRole("button", { name: "Jump to latest" })).toBeHidden();
  expect(Math.max(...drawn), "rows in the page at once").toBeLessThan(150);
  expect((await heap()) - before, "megabytes that the page has grown by").toBeLessThan(40);

  // The last rows are contiguous.
  const rollups = log.getByRole("button", { name: /^Read \d+ files/ });
  // From the end: an opened one moves the later ones out of the list.
  await rollups.nth(-1).click();
  await expect(rollups.nth(-1)).toHaveAttribute("aria-expanded", "true");
  await rollups.nth(-2).click();
  // Near its end the list follows again by itself, also between the look at the switch and the click.
  await expect(() => screen.getByRole("switch", { name: "Follow" }).check()).toPass();
  await expect(log.locator("[data-nested]").last()).toBeInViewport();
  const shown = await log.locator("[data-row]").allTextContents();
  const files = shown.flatMap((text) => /src\/part\/file-(\d+)/.exec(text)?.[1] ?? []).map(Number);
  expect(files.length).toBeGreaterThan(5);
  expect(files).toEqual(files.map((_, n) => (files[0] ?? 0) + n));
});
