// The server is killed and restarted while every screen is open.
import type { BrowserContext, Page } from "@playwright/test";
import { contract } from "../support/contracts";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { follow, latestBuild } from "../support/navigation";
import { newProject, questionnaire } from "../support/questionnaire";

test.use({ pace: 15 });
test.describe.configure({ timeout: 400_000 });

const LOST = /Could not load|is not responding|Something went wrong|was updated|Reconnecting/;

async function opened(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await expect(page.getByRole("heading").first()).toBeVisible();
  await page.evaluate(() => Object.assign(window, { sameLoad: true }));
  return page;
}

/** Simulates returning to the tab. */
const lookAgain = (page: Page) =>
  page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));

test("open screens reconnect after a restart and keep typed text", async ({
  adminPage,
  api,
  context,
  server,
}) => {
  const garden = await newProject(api);
  const started = await api.startDemo();
  const demo = `/projects/${started.project}`;
  const open = (path: string) => opened(context, path);
  await adminPage.close();

  const projects = await open("/");
  const project = await open(demo);
  const settings = await open(`${demo}/settings`);
  const contracts = await open(`${demo}/contracts`);
  const edited = await open(`${demo}/contracts/stack?view=edit`);
  const form = await open(`${garden.page}/product_intent`);
  const build = await open(buildPath(started));
  const questions = await open("/questions");
  const errors = await open(`${demo}/errors`);
  const reviews = await open("/reviews");
  const auditLog = await open("/audit-log");
  const people = await open("/users");
  const account = await open("/account");

  await settings.getByRole("button", { name: "Add gate" }).click();
  const gate = settings.getByRole("listitem").getByRole("textbox", { name: "Command" }).last();
  await gate.fill("node --check src/main.js");
  await contract(edited).editor.fill("# Stack\n\nHalf a sen");
  await people.getByRole("button", { name: "Invite user" }).click();
  const invited = people.getByRole("dialog", { name: "Invite user" }).getByLabel("Name");
  await invited.fill("Grace");
  await account.getByRole("button", { name: "New key" }).click();
  const key = account.getByRole("dialog").getByLabel("Name");
  await key.fill("laptop");

  // Only a page that has loaded the activity shows that its connection is lost.
  await expect(ide(build).log).toBeVisible();
  await server.kill();
  await expect(ide(build).reconnecting).toBeVisible();
  // Typed during the outage.
  await questionnaire(form).summary.fill("It keeps notes on what grows where.");
  await ide(build).line.fill("Mind the leap years");
  for (const page of [project, contracts, errors, auditLog]) await lookAgain(page);
  await server.startAgain();

  await test.step("live screens continue", async () => {
    await api.reaches(started.build, "awaiting_input");
    await expect(ide(build).answers).toBeVisible();
    await expect(ide(build).line).toHaveValue("Mind the leap years");
    await expect(questions.getByRole("list", { name: "Open questions" })).toBeVisible();
    const badge = projects.getByRole("banner").getByRole("link", { name: "Inbox 1 unread" });
    await expect(badge).toBeVisible({ timeout: 30_000 });
    await expect(project.getByText("Needs your answer").first()).toBeVisible();
    await expect(questionnaire(form).saved).toBeVisible({ timeout: 30_000 });
    expect(JSON.stringify((await garden.read()).answers)).toContain("what grows where");

    await api.answer(started.build, "Two weeks");
    await api.reaches(started.build, "sealed");
    await expect(ide(build).status).toHaveText("Waiting for review");
    await expect(project.getByText("Waiting for review").first()).toBeVisible();
    const waiting = reviews.getByRole("list", { name: "Sealed builds" });
    await expect(waiting).toContainText("Certified", { timeout: 60_000 });
  });

  await test.step("typed text is kept", async () => {
    await expect(gate).toHaveValue("node --check src/main.js");
    await expect(contract(edited).editor).toContainText("Half a sen");
    await expect(invited).toHaveValue("Grace");
    await expect(key).toHaveValue("laptop");
  });

  await test.step("refocused screens show new data", async () => {
    await api.post("/api/users", {
      email: "grace@example.org",
      password: "a password of hers",
      name: "Grace",
      role: "user",
    });
    await api.post("/api/forge-keys", { name: "from elsewhere" });
    for (const page of [errors, auditLog, people, account]) await lookAgain(page);
    const found = errors.getByRole("list", { name: "Errors of all builds" }).getByRole("article");
    await expect(found.first()).toBeVisible();
    await expect(auditLog.getByRole("table", { name: "Audit log" })).toContainText(
      "grace@example.org",
    );
    await expect(people.getByText("grace@example.org")).toBeAttached();
    await expect(account.getByText("from elsewhere").first()).toBeAttached();
    await expect(contracts.getByText("Manifesto").first()).toBeVisible();
  });

  for (const page of context.pages()) {
    await expect(page.getByText(LOST), page.url()).toHaveCount(0);
    expect(await page.evaluate(() => "sameLoad" in window), page.url()).toBe(true);
  }
});

test("page opened during an outage loads later", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(`/projects/${started.project}`);
  await page.evaluate(() => Object.assign(window, { sameLoad: true }));
  const requests = /\/api\/.*\bbuilds\//;
  await page.route(requests, (route) => route.abort());
  await follow(latestBuild(page), page.getByText("Could not load the build"));
  await page.unroute(requests);
  const build = ide(page);
  await expect(build.log.getByRole("time").first()).toBeVisible({ timeout: 30_000 });
  // It also follows new events.
  await expect(build.answers).toBeVisible({ timeout: 60_000 });
  expect(await page.evaluate(() => "sameLoad" in window)).toBe(true);
});
