// A project from a repository on another server: here the demo's, over the server's own git.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/fixtures";
import { inspect } from "../support/screen";

const configured = async () => {
  const file = join(await mkdtemp(join(tmpdir(), "forgeguard-e2e-")), "forgeguard.toml");
  await writeFile(file, '[network]\nenabled = true\nallow = ["127.0.0.0/8"]\n');
  return { FORGEGUARD_CONFIG: file };
};

test.use({
  // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
  settings: async ({}, use) => use(await configured()),
});

test("repository is connected by URL with a token", async ({ adminPage: page, api, server }) => {
  const demo = await api.demo();
  const { key } = await api.post<{ key: string }>("/api/forge-keys", { name: "git" });
  await page.goto("/");
  await page.getByRole("button", { name: "New project" }).click();
  const form = page.getByRole("dialog", { name: "New project" });
  await form.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(form.getByText("Enter the address of a repository")).toBeVisible();
  await expect(
    form.getByText(`forgeguard import DIRECTORY --server ${server.address}`),
  ).toBeVisible();

  await form.getByLabel("Repository address").fill(`${server.address}/git/${demo}.git`);
  await form.getByRole("button", { name: "Test connection" }).click();
  await expect(form.getByText("The test failed")).toBeVisible();
  await form.getByLabel("Access", { exact: true }).selectOption("New access token");
  await form.getByRole("textbox", { name: "Access token" }).fill(key);
  await form.getByRole("button", { name: "Test connection" }).click();
  await expect(form.getByText(/main is the default branch/)).toBeVisible();
  await inspect(page, "connect-repository");

  await form.getByLabel("Project name").fill("Garden diary");
  await form.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page).toHaveURL(/\/projects\/garden-diary$/);
  const card = page.getByRole("region", { name: "Connected repository" });
  await expect(card.getByText(/Default branch main, fetched/)).toBeVisible();
  await inspect(page, "connected-repository");
  await card.getByRole("button", { name: "Fetch now" }).click();

  await page.goto("/projects/garden-diary/settings");
  await card.getByRole("button", { name: "Create a webhook secret" }).click();
  await expect(card.getByText(/\/api\/hooks\//)).toBeVisible();
  await inspect(page, "connected-repository-settings");
  await card.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();

  // The project can be connected again: its commits are part of the repository's.
  await card.getByRole("button", { name: "Connect repository" }).click();
  const again = page.getByRole("dialog", { name: "Connect repository" });
  await again.getByLabel("Repository address").fill(`${server.address}/git/${demo}.git`);
  await again
    .getByLabel("Access", { exact: true })
    .selectOption({ label: `Token for ${server.address.replace("http://", "")}` });
  await inspect(page, "connect-existing-project");
  await again.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(again).toBeHidden();
  await expect(card.getByLabel("Kind of server")).toBeVisible();
  await page.goto("/projects/garden-diary");
  await expect(card.getByText(/Default branch main, fetched/)).toBeVisible();
});
