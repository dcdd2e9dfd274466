// Builds of all projects, and the comparison of two builds of a project.
import { test as withMock } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { follow, title } from "../support/navigation";
import { inspect } from "../support/screen";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 300_000 });

test("build is listed with what it waits for, while it runs and when it is sealed", async ({
  adminPage: page,
  api,
}) => {
  await page.goto("/");
  await follow(
    page.getByRole("banner").getByRole("link", { name: "Builds" }),
    title(page, "Builds of all projects"),
  );
  await expect(page.getByRole("heading", { name: "No builds yet" })).toBeVisible();

  const started = await api.startDemo();
  const of = (group: string) => page.getByRole("region", { name: group }).getByRole("link");
  await expect(of("Needs an answer")).toContainText("Waits for your answer", { timeout: 60_000 });
  await expect(page.getByRole("radio", { name: "Needs an answer 1" })).toBeAttached();
  await api.answer(started.build, "Two weeks");
  await api.reaches(started.build, "sealed");
  await expect(of("In review")).toContainText("Waits for a reviewer", { timeout: 60_000 });
  const whole = await api.build(started.build);
  expect(whole.status).toBe("sealed");
  await of("In review").click();
  await expect(page).toHaveURL(/\/projects\/shelf\/builds\/1$/);
});

withMock.describe("with many builds", () => {
  let server: StandIn;
  withMock.beforeAll(async () => {
    server = await StandIn.start();
  });
  withMock.afterAll(() => server.stop());
  withMock.beforeEach(async ({ page }) => {
    await page.context().request.post(`${server.address}/api/session`, {
      data: { password: "any" },
    });
  });

  withMock("builds are grouped, filtered and loaded page by page", async ({ page }) => {
    await page.goto(`${server.address}/builds`);
    await expect(page.getByRole("listitem")).toHaveCount(8);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect(page.getByRole("listitem")).toHaveCount(11);
    await inspect(page, "all-builds");
    await page
      .getByRole("radiogroup", { name: "Status" })
      .getByText(/^In review/)
      .click();
    await expect(page).toHaveURL(/group=in_review/);
    await expect(page.getByRole("listitem")).toHaveCount(2);
    await page.getByLabel("Project", { exact: true }).selectOption("Invoice importer");
    await expect(page.getByRole("listitem")).toHaveCount(1);
  });

  withMock("two builds are compared from the list of builds", async ({ page }) => {
    const { address } = server;
    const sealed = async () => {
      const path = `${address}/api/projects/invoice-importer/builds`;
      const { items } = await (await page.context().request.get(path)).json();
      return items.filter((build: { status: string }) => build.status === "sealed").length;
    };
    await expect.poll(sealed, { timeout: 60_000 }).toBe(2);
    await page.goto(`${address}/projects/invoice-importer/builds`);
    await follow(page.getByRole("link", { name: "Compare builds" }), title(page, "Compare builds"));
    await expect(page).toHaveURL(/compare\?from=1&to=2$/);
    const tabs = page.getByRole("navigation", { name: "Project" });
    await expect(tabs.locator("[aria-current]")).toHaveText("Builds");
    const breadcrumb = page.getByRole("navigation", { name: "Breadcrumb" });
    await expect(breadcrumb.locator("[aria-current]")).toHaveText("Compare");
    const result = page.getByRole("region", { name: "Result" });
    await expect(result.getByRole("row", { name: /^Replies of models 31 24 −7/ })).toBeVisible();
    const requirements = page.getByRole("list", { name: "Requirements that changed" });
    await expect(requirements.getByRole("listitem")).toHaveCount(3);
    await expect(page.getByRole("tab", { name: "Gone 2" })).toBeVisible();
    const changes = page.getByRole("region", { name: "Changes", exact: true });
    await expect(changes.getByText("src/core/sort.js").first()).toBeVisible();
    await inspect(page, "compare");

    await page.getByRole("button", { name: "Swap both builds" }).click();
    await expect(page).toHaveURL(/compare\?from=2&to=1$/);
    await expect(result.getByRole("row", { name: /^Replies of models 31 24/ })).toBeVisible();
    await page.getByLabel("From", { exact: true }).selectOption("#1 First version");
    await expect(page.getByRole("heading", { name: "Choose two different builds" })).toBeVisible();
    await page.goto(`${address}/projects/invoice-importer/compare?from=1&to=9`);
    await expect(page.getByRole("heading", { name: /Could not load/ })).toBeVisible();
  });
});
