// Errors of all builds of a project.
import type { Page } from "@playwright/test";
import { expect, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

const list = (page: Page) => page.getByRole("list", { name: "Errors of all builds" });
const cards = (page: Page) => list(page).getByRole("article");
const show = (page: Page, what: string) =>
  page.getByRole("radiogroup", { name: "Filter" }).getByText(what, { exact: true }).click();

test.describe.configure({ timeout: 400_000 });

test("project without errors says so", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}/errors`);
  await expect(page.getByRole("heading", { name: "No errors" })).toBeVisible();
  await inspect(page, "errors-empty");
});

testWithSealedDemo(
  "error of two builds is listed once with both builds",
  async ({ adminPage: page, api, sealedDemo: first }) => {
    const second = await api.startDemo();
    await api.answer(second.build, "Two weeks");
    await api.reaches(second.build, "sealed");
    await page.goto(`/projects/${first.project}`);
    await follow(
      page.getByRole("link", { name: "Errors", exact: true }),
      page.getByRole("list", { name: "Errors of all builds" }),
    );
    await expect(page).toHaveURL(/\/errors$/);
    const card = cards(page).first();
    await expect(card).toContainText(/Seen \d+ times in 2 builds/);
    await expect(card).toContainText("Fixed automatically");
    await expect(card.getByRole("link", { name: /^#1\b/ })).toHaveCount(1);

    const total = await cards(page).count();
    await show(page, "Open");
    await expect(page.getByRole("heading", { name: "No matching errors" })).toBeVisible();
    await show(page, "Resolved");
    await expect(cards(page)).toHaveCount(total);
    await show(page, "Dismissed");
    await expect(cards(page)).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole("heading", { name: "No matching errors" })).toBeVisible();
    await show(page, "All");
    await page.getByRole("textbox", { name: "Search errors" }).fill("no error says this");
    await expect(page.getByRole("heading", { name: "No matching errors" })).toBeVisible();
    await page.getByRole("textbox", { name: "Search errors" }).fill("test");
    await expect(card).toBeVisible();

    await follow(card.getByRole("link", { name: /^#2\b/ }), ide(page).log);
    await expect(page).toHaveURL(/\/builds\/2#\d+$/);
    await page.goto(`${buildPath(first)}?tab=errors`);
    await follow(
      ide(page).screen.getByRole("link", { name: "Errors of all builds" }),
      page.getByRole("list", { name: "Errors of all builds" }),
    );
    await expect(page).toHaveURL(/\/errors$/);
  },
);

test("palette opens the errors, and a failure can be retried", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  await page.route("**/api/projects/*/errors*", (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      body: JSON.stringify({ title: "Broken", detail: "The disk is gone." }),
    }),
  );
  await page.goto(`/projects/${project}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("errors of all");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The disk is gone.")).toBeVisible({ timeout: 30_000 });
  await page.unroute("**/api/projects/*/errors*");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "No errors" })).toBeVisible();
});

test("long list of errors is virtualized", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  const at = "2026-11-21T20:25:00Z";
  const error = (n: number) => ({
    fingerprint: n.toString(16).padStart(16, "0"),
    first_seen: at,
    last_seen: at,
    build_count: 1,
    occurrence_count: 1,
    build_id: project,
    source: "gate:test",
    severity: "error",
    phase: null,
    file_path: null,
    message: `error number ${n}`,
    resolved: false,
    regression: false,
    resolution: null,
    sightings: [],
  });
  await page.route("**/api/projects/*/errors*", (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
    const items = Array.from({ length: 100 }, (_, index) => error(after + index));
    const next = after + 100 < 400 ? String(after + 100) : null;
    return route.fulfill({ json: { items, next } });
  });
  await page.goto(`/projects/${project}/errors`);
  const more = page.getByRole("button", { name: "Show more" });
  const all = page.getByRole("article");
  await expect(all).toHaveCount(100);
  await more.click();
  await expect(all).toHaveCount(200);
  await more.click();
  await expect.poll(() => all.count()).toBeLessThan(100);
  // The list may still be measuring its rows, which moves its end.
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(page.getByText("error number 299")).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
});
