// Measures how fast the build screen opens and updates, and how much script it loads.
import { gzipSync } from "node:zlib";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { ide } from "../support/ide";
import { openProject } from "../support/navigation";
import { StandIn } from "../support/stand-in";
import { measure } from "./table";

const RATE = 500;
const FOR_S = 20;

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

/** Signs in and returns the address of the build with 100,000 events. */
async function longBuild(page: Page): Promise<string> {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await openProject(page, "A very long journal");
  const link = page.getByRole("region", { name: "Latest build" }).getByRole("link").last();
  return new URL((await link.getAttribute("href")) ?? "", server.address).href;
}

const record = (name: string, value: number, unit: string, target?: number) =>
  test.info().annotations.push(measure({ name, value, unit, target }));

test("opening a build with 100,000 events and an empty cache", async ({ browser }) => {
  const [content, rows, interactive]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < 5; turn++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const address = await longBuild(page);
    // A new context with nothing but the session.
    const cold = await context.newPage();
    await (await context.newCDPSession(cold)).send("Network.setCacheDisabled", {
      cacheDisabled: true,
    });
    await cold.goto(address, { waitUntil: "commit" });
    await ide(cold).log.getByRole("time").last().waitFor();
    rows.push(await cold.evaluate(() => performance.now()));
    const [painted] = await cold.evaluate(() =>
      performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime),
    );
    content.push(painted ?? Number.NaN);
    await ide(cold).line.fill("/pause");
    await expect(ide(cold).line).toHaveValue("/pause");
    await ide(cold).activity.click();
    interactive.push(await cold.evaluate(() => performance.now()));
    await context.close();
  }
  record("the IDE opens on 100,000 events: first content", Math.min(...content), "ms", 1_000);
  record("the IDE opens on 100,000 events: newest row drawn", Math.min(...rows), "ms");
  record(
    "the IDE opens on 100,000 events: takes what is typed",
    Math.min(...interactive),
    "ms",
    2_000,
  );
});

test("following a busy build", async ({ page }) => {
  await page.goto(await longBuild(page));
  const { log } = ide(page);
  await expect(log.getByRole("time").last()).toBeVisible();
  const build = await server.buildAt(page.url());
  // A full window is the most expensive case.
  const full = await server.pour(build, 7_000, 1_000);
  await expect(log.getByText(full)).toBeVisible();
  const watch = () =>
    page.evaluate(() => {
      const tasks: number[] = [];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) tasks.push(duration);
      }).observe({ type: "longtask" });
      Object.assign(window, { tasks });
    });
  const longest = () =>
    page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks));
  await watch();
  const last = await server.pour(build, RATE * FOR_S, RATE);
  await expect(log.getByText(last)).toBeVisible();
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  const busy = tasks.reduce((sum, each) => sum + each, 0) / (FOR_S * 10);
  record(`longest task at ${RATE} events a second for ${FOR_S} s`, await longest(), "ms", 50);
  record(`tasks over 100 ms in that time`, tasks.filter((each) => each > 100).length, "");
  record(`time in tasks over 50 ms`, busy, "%");
});

/** A phone at the edge of a network, with an empty cache. */
async function onSlowLink(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  const bytesPerSecond = 1_600_000 / 8;
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 800,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

test("opening pages at 800 ms latency and 1.6 Mbit/s", async ({ browser }) => {
  const context = await browser.newContext();
  const first = await context.newPage();
  const build = await longBuild(first);
  const project = build.slice(0, build.indexOf("/builds/"));
  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).first();
  const pages: [string, string, (page: Page) => Locator][] = [
    ["projects", server.address, (page) => page.getByRole("link", { name: "A very long journal" })],
    ["a project", project, (page) => page.getByRole("region", { name: "Latest build" })],
    ["its settings", `${project}/settings`, heading],
    ["a build", build, (page) => ide(page).log.getByRole("time").last()],
  ];
  for (const [name, address, content] of pages) {
    const page = await context.newPage();
    let requests = 0;
    await onSlowLink(page);
    page.on("request", () => {
      requests += 1;
    });
    await page.goto(address, { waitUntil: "commit" });
    await content(page).waitFor();
    const shown = await page.evaluate(() => performance.now());
    const loaded = requests;
    const [painted] = await page.evaluate(() =>
      performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime),
    );
    const before = await page.evaluate(
      (until) =>
        performance.getEntriesByType("resource").filter(({ startTime }) => startTime < until)
          .length,
      painted ?? Number.NaN,
    );
    record(`${name} on a slow link: first content`, painted ?? Number.NaN, "ms", 4_000);
    record(`${name} on a slow link: requests until then`, 1 + before, "", 15);
    record(`${name} on a slow link: its own content`, shown, "ms");
    record(`${name} on a slow link: requests until its own content`, loaded, "");
    await page.close();
  }
  await context.close();
});

test("script loaded before the first paint", async ({ page }) => {
  async function gzipped(scripts: Iterable<string>): Promise<number> {
    let bytes = 0;
    for (const script of scripts) {
      const answer = await page.request.get(new URL(script, server.address).href);
      bytes += gzipSync(await answer.body()).length;
    }
    return bytes / 1_000;
  }
  const entry = await (await page.request.get(server.address)).text();
  // The file that pages share is loaded at the same time, but not needed for the first paint.
  const first = [...entry.matchAll(/(?:src|href)="(\/(?!assets\/shared)[^"]+\.js)"/g)].map(
    ([, path = ""]) => path,
  );
  record("script that the first page needs, gzipped", await gzipped(first), "kB", 220);
  const address = await longBuild(page);
  const asked = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() === "script") asked.add(request.url());
  });
  await page.goto(address);
  await ide(page).log.getByRole("time").last().waitFor();
  record("script until the IDE is shown, gzipped", await gzipped(asked), "kB");
});
