// Access of owners, viewers and others.
import { expect, signIn, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

const STRANGER = { email: "stranger@example.org", password: "a password of their own" };

test("other users see neither the project nor its build", async ({ page, server, api }) => {
  const started = await api.startDemo();
  await api.post("/api/users", { ...STRANGER, name: "Stranger", role: "user" });
  await signIn(page, server, STRANGER);

  await page.goto("/");
  await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
  await page.goto(`/projects/${started.project}`);
  await expect(page.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await page.goto(buildPath(started));
  await expect(page.getByText("does not exist").first()).toBeVisible();
  await expect(page.getByText("Shelf")).toHaveCount(0);
});

test("viewer sees all of a project and no actions that change it", async ({
  adminPage: page,
  server,
  api,
  browser,
}) => {
  const grace = { email: "grace@example.org", password: "a password of her own" };
  await api.post("/api/users", { ...grace, name: "Grace", role: "user" });
  const started = await api.startDemo();
  await page.goto(`/projects/${started.project}/settings`);
  const card = page.getByRole("region", { name: "Viewers" });
  await card.getByLabel("Email address of a user").fill("unknown@example.org");
  await card.getByRole("button", { name: "Add viewer" }).click();
  await expect(card.getByText("there is no account with this address")).toBeVisible();
  await card.getByLabel("Email address of a user").fill(grace.email);
  await card.getByRole("button", { name: "Add viewer" }).click();
  await expect(card.getByText("Grace", { exact: true })).toBeVisible();
  await inspect(page, "project-viewers");

  const context = await browser.newContext({ baseURL: server.address });
  const hers = await context.newPage();
  await signIn(hers, server, grace);
  await hers.goto("/");
  await expect(hers.getByRole("article").getByText(/^Shared by /)).toBeVisible();
  await follow(
    hers.getByRole("article").getByRole("link").first(),
    hers.getByText("You have view-only access."),
  );
  await expect(hers.getByRole("link", { name: "Settings" })).toHaveCount(0);
  await expect(hers.getByRole("button", { name: /^Start/ })).toHaveCount(0);
  await hers.goto(buildPath(started));
  const build = ide(hers);
  await expect(build.screen.getByText(/^Question for /)).toBeVisible({ timeout: 60_000 });
  await expect(build.status).toHaveText("Needs your answer");
  for (const name of ["Pause", "Cancel"])
    await expect(build.screen.getByRole("button", { name, exact: true })).toHaveCount(0);
  await expect(build.line).toHaveCount(0);
  await expect(build.notepad).toHaveCount(0);
  await inspect(hers, "build-watched");
  await hers.goto(`/projects/${started.project}/contracts/manifesto`);
  await expect(hers.getByRole("heading", { name: "Manifesto", level: 1 })).toBeVisible();
  await expect(hers.getByRole("link", { name: "Edit" })).toHaveCount(0);

  await card.getByRole("button", { name: "Remove Grace" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(card.getByText("No viewers yet.")).toBeVisible();
  await hers.reload();
  await expect(hers.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await context.close();
});
