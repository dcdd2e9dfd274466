// What a user confirms in a build: an assumption before the work, and open items before the seal.
import { demoContracts } from "../support/contracts";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { inspect } from "../support/screen";

test.describe.configure({ timeout: 400_000 });

test("assumption is confirmed before the work, and a criterion before the seal", async ({
  adminPage: page,
  api,
}) => {
  const contracts = await demoContracts(api);
  const blueprint = await contracts.read("blueprint");
  await contracts.write(
    "blueprint",
    blueprint.content.replace("**R-1** (must, stated)", "**R-1** (must, assumed)"),
  );
  const phases = await contracts.read("phases");
  await contracts.write("phases", phases.content.replace("- R-3 — review", "- R-3 — person"));

  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const { screen, status } = ide(page);
  const assumption = screen.getByRole("region", { name: /^R-1 is an assumption/ });
  await expect(assumption).toContainText("Every loan has a due day.");
  await expect(assumption.getByRole("button", { name: "Leave open" })).toBeVisible();
  await inspect(page, "assumption-question");
  await assumption.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect(assumption).toBeHidden();
  await expect
    .poll(async () => (await contracts.read("blueprint")).content)
    .toContain("**R-1** (must, stated)");
  await screen.getByRole("region", { name: /keep a book/ }).waitFor();
  await api.answer(started.build, "Two weeks");

  const confirmation = screen.getByRole("region", { name: /^1 item is open/ });
  await expect(confirmation).toBeVisible({ timeout: 240_000 });
  await expect(status).toHaveText("Needs your answer");
  const items = confirmation.getByRole("list", { name: "Open items" });
  await expect(items.getByRole("listitem")).toHaveCount(1);
  await inspect(page, "confirmation");

  await items.getByRole("button", { name: /^Reject/ }).click();
  const rejection = page.getByRole("dialog", { name: "Reject" });
  await expect(rejection.getByRole("button", { name: "Reject" })).toBeDisabled();
  await rejection.getByRole("button", { name: "Cancel" }).click();
  await items.getByRole("button", { name: /^Confirm/ }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm" });
  await confirm.getByRole("textbox").fill("I read the README");
  await inspect(page, "confirmation-dialog");
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await expect(items).toContainText(/Confirmed by .*: I read the README/);
  await confirmation.getByRole("button", { name: "Seal the build" }).click();

  const sealed = await api.reaches(started.build, "sealed");
  expect(sealed.verdict).toBe("CERTIFIED");
  await page.goto(`${buildPath(started)}?tab=requirements`);
  await expect(screen.getByText(/confirmed by .*: I read the README/)).toBeVisible();
});
