// Credentials for repositories on other servers, on the pages of their owners.
import { expect, test } from "@playwright/test";
import { inspect } from "../support/screen";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 180_000 });

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

test("credentials are added and deleted, and a project then has none", async ({ page }) => {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(`${server.address}/account`);
  const card = page.getByRole("region", { name: "Repository credentials" });
  await expect(card.getByRole("listitem")).toHaveCount(2);
  await card.getByRole("button", { name: "Add credential" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Kind" }).selectOption("ssh_key");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Key of the release");
  await dialog.getByRole("textbox", { name: "Host" }).fill("git.example.org");
  await inspect(page, "credential-new");
  await dialog.getByRole("button", { name: "Generate key" }).click();
  await expect(dialog).toContainText("ssh-ed25519");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(card.getByRole("listitem")).toHaveCount(3);
  await inspect(page, "credentials-own");

  await page.goto(`${server.address}/projects/invoice-importer/settings`);
  const remote = page.getByRole("region", { name: "Connected repository" });
  await expect(remote.getByRole("combobox", { name: "Credential" })).not.toHaveValue("");
  await expect(card).toContainText("In use");
  await inspect(page, "project-settings-connected");
  await card.getByRole("button", { name: "Delete Token for codeberg.org" }).click();
  await expect(dialog).toContainText("until another credential is chosen");
  await dialog.getByRole("button", { name: "Delete credential" }).click();
  await expect(card).toContainText("No credentials");
  await expect(remote.getByRole("combobox", { name: "Credential" })).toHaveValue("");

  await page.goto(`${server.address}/settings`);
  await expect(card.getByRole("listitem")).toHaveCount(1);
  await inspect(page, "installation-settings-credentials");
});
