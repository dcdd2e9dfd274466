// What is not yours does not exist; what you are let in to, you see and do not change.
import { expect, signIn, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { inspect } from "../support/screen";

const STRANGER = { email: "stranger@example.org", password: "a password of their own" };

test("another user sees neither the project nor its build", async ({ page, server, api }) => {
  const started = await api.startDemo();
  await api.post("/api/users", { ...STRANGER, name: "Stranger", role: "user" });
  await signIn(page, server, STRANGER);

  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  await page.goto(`/projects/${started.project}`);
  await expect(page.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await page.goto(buildPath(started));
  await expect(page.getByText("does not exist").first()).toBeVisible();
  await expect(page.getByText("Shelf")).toHaveCount(0);
});

test("who is let in sees all of a project and is offered nothing that changes it", async ({
  adminPage: page,
  server,
  api,
  browser,
}) => {
  const grace = { email: "grace@example.org", password: "a password of her own" };
  await api.post("/api/users", { ...grace, name: "Grace", role: "user" });
  const started = await api.startDemo();
  await page.goto(`/projects/${started.project}?view=settings`);
  const card = page.getByRole("region", { name: "People who may look" });
  await card.getByLabel("Email of somebody with an account here").fill("nobody@example.org");
  await card.getByRole("button", { name: "Let them look" }).click();
  await expect(card.getByText("nobody here signs in with this address")).toBeVisible();
  await card.getByLabel("Email of somebody with an account here").fill(grace.email);
  await card.getByRole("button", { name: "Let them look" }).click();
  await expect(card.getByText("Grace", { exact: true })).toBeVisible();
  await inspect(page, "project-viewers");

  const context = await browser.newContext({ baseURL: server.address });
  const hers = await context.newPage();
  await signIn(hers, server, grace);
  await hers.goto("/");
  await expect(hers.getByRole("article").getByText(/^Of /)).toBeVisible();
  await hers.getByRole("article").getByRole("link").first().click();
  await expect(hers.getByText("you may look at all of it and change nothing")).toBeVisible();
  await expect(hers.getByRole("tab", { name: "Settings" })).toHaveCount(0);
  await expect(hers.getByRole("button", { name: /^Start/ })).toHaveCount(0);
  await hers.goto(buildPath(started));
  const build = ide(hers);
  await expect(build.dialog.getByText(/^The builder asks /)).toBeVisible({ timeout: 60_000 });
  await expect(build.status).toHaveText("Needs your answer");
  for (const name of ["Pause", "Cancel"])
    await expect(build.dialog.getByRole("button", { name, exact: true })).toHaveCount(0);
  await expect(build.line).toHaveCount(0);
  await expect(build.notepad).toHaveCount(0);
  await inspect(hers, "build-watched");
  await hers.goto(`/projects/${started.project}/contracts/manifesto`);
  await expect(hers.getByRole("heading", { name: "Manifesto", level: 1 }).first()).toBeVisible();
  await expect(hers.getByRole("link", { name: "Edit" })).toHaveCount(0);

  await card.getByRole("button", { name: "Remove Grace" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(card.getByText("Nobody but you, yet.")).toBeVisible();
  await hers.reload();
  await expect(hers.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await context.close();
});
