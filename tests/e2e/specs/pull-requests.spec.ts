// The pull request of a sealed build.
import { expect, test } from "@playwright/test";
import { openLatestBuild, openProject } from "../support/navigation";
import { inspect } from "../support/screen";
import { StandIn } from "../support/stand-in";

test.describe.configure({ timeout: 180_000 });

let server: StandIn;
test.beforeAll(async () => {
  server = await StandIn.start();
});
test.afterAll(() => server.stop());

test("failed delivery says why and is retried until the pull request is open", async ({ page }) => {
  await page.context().request.post(`${server.address}/api/session`, { data: { password: "any" } });
  await page.goto(server.address);
  await openProject(page, "Invoice importer");
  await openLatestBuild(page);
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict.getByRole("button", { name: "Open pull request" })).toBeVisible({
    timeout: 60_000,
  });
  const section = page.getByRole("region", { name: "Pull request" });
  await page.getByRole("tab", { name: "Seal" }).click();
  await expect(section).toContainText("Nothing is merged.");
  await inspect(page, "pull-request-offer");

  await section.getByRole("button", { name: "Open pull request" }).click();
  await expect(section.getByRole("status")).toContainText("Not delivered");
  await expect(section).toContainText("Check the credential");
  await expect(verdict.getByRole("link", { name: "Not delivered" })).toBeVisible();
  await inspect(page, "pull-request-failed");

  await section.getByRole("button", { name: "Retry" }).click();
  const link = section.getByRole("link", { name: /#12 in codeberg.org\/ada\/invoices/ });
  await expect(link).toHaveAttribute("href", "https://codeberg.org/ada/invoices/pulls/12");
  await expect(section).toContainText("Checks: 2 passed, 1 in progress");
  await expect(section.getByRole("button", { name: "Retry" })).toHaveCount(0);
  const comments = section.getByRole("region", { name: "Review comments (2)" });
  await expect(comments.getByRole("listitem").filter({ hasText: "rounded once" })).toContainText(
    "parse-invoice.ts:42",
  );
  const start = comments.getByRole("button", { name: "Start follow-up build" });
  await expect(start).toBeEnabled();
  for (const choice of await comments.getByRole("checkbox").all()) await choice.uncheck();
  await expect(start).toBeDisabled();
  await expect(comments).toContainText("Select the comments to implement.");
  await comments.getByRole("checkbox", { name: /parse-invoice\.ts:42/ }).check();
  await expect(start).toBeEnabled();
  await expect(verdict.getByRole("link", { name: "#12 open" })).toBeVisible();
  await inspect(page, "pull-request-open");
});
