// Opening a page with an empty cache: few requests, and data is requested while code is being loaded.
import { expect, type Locator, type Page, test } from "@playwright/test";
import { ide } from "../support/ide";
import { StandIn } from "../support/stand-in";

/** On slow links, each request costs more than what it returns. */
const MAX_REQUESTS = 14;

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

const SESSION = /\/api\/session$/;
const PROJECT_ITSELF = /\/api\/projects\/[^/]+$/;
const PROJECT = "/projects/a-very-long-journal";
/** Pages, the data that they show first, and when it is shown. */
const PAGES: [name: string, path: string, data: RegExp[], content: (page: Page) => Locator][] = [
  [
    "the projects",
    "/",
    [SESSION, /archived=false/],
    (page) => page.getByRole("link", { name: "A very long journal" }),
  ],
  [
    "a project",
    PROJECT,
    [SESSION, PROJECT_ITSELF, /\/builds\?/, /\/contracts$/, /\/questionnaire$/, /\/remote$/],
    (page) => page.getByRole("region", { name: "Latest build" }),
  ],
  [
    "a build",
    `${PROJECT}/builds/1`,
    [SESSION, PROJECT_ITSELF, /\/api\/.*\/builds\/1$/, /\/events\?tail/],
    (page) => ide(page).log.getByRole("time").last(),
  ],
];

for (const [name, path, data, content] of PAGES) {
  test(`${name}: few requests, data together with code`, async ({ page }) => {
    await page.context().request.post(`${server.address}/api/session`, {
      data: { password: "any" },
    });
    const requests: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (url.includes("/api/")) requests.push(url);
    });
    const requested = Promise.all(data.map((of) => page.waitForRequest(of)));
    let count = 0;
    let show = () => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    await page.route("**", async (route) => {
      count += 1;
      // Content that needs more requests does not appear.
      if (count > MAX_REQUESTS) await shown;
      // The code arrives after the data has been requested.
      if (/\/assets\/first-/.test(route.request().url())) await requested;
      await route.continue();
    });
    await page.goto(server.address + path, { waitUntil: "commit" });
    await content(page).waitFor();
    show();
    for (const of of data) {
      expect(
        requests.filter((url) => of.test(url)),
        `requests for ${of}`,
      ).toHaveLength(1);
    }
    await page.unrouteAll({ behavior: "wait" });
  });
}
