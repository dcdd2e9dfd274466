// The gates of a project: declared and changed in its settings, and used by its builds.
import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { inspect } from "../support/screen";

async function save(page: Page) {
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.getByRole("button", { name: "Save settings" }).click();
  expect((await saved).ok()).toBe(true);
}

test("test gate is declared, used by the next build, and changed while that is paused", async ({
  adminPage: page,
  api,
}) => {
  const project = await api.demo();
  const settings = `/projects/${project}/settings`;
  await page.goto(settings);
  const gates = page.getByRole("region", { name: "Gates", exact: true });
  const field = (name: string) => gates.getByRole("textbox", { name });

  await test.step("the gate that runs the tests is declared", async () => {
    await gates.getByRole("button", { name: "Remove gate test" }).click();
    await gates.getByRole("button", { name: "Add gate" }).click();
    await field("Name").fill("unit");
    await field("Command").fill("node --test --test-reporter=tap");
    await gates.getByRole("checkbox", { name: "Runs tests" }).check();
    await expect(gates.getByRole("checkbox", { name: "Required" })).toBeChecked();
    await save(page);
    await page.reload();
    await expect(field("Command")).toHaveValue("node --test --test-reporter=tap");
    await expect(gates.getByRole("checkbox", { name: "Runs tests" })).toBeChecked();
  });

  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  const side = page.getByRole("complementary", { name: "Build details" });

  await test.step("the next build uses it", async () => {
    await expect(side.getByText("node --test --test-reporter=tap")).toBeVisible();
    await build.show("Gates");
    await expect(
      build.log.getByRole("button", { name: /^Gate unit passed/ }).first(),
    ).toBeVisible();
    await build.show("All");
  });

  await test.step("requested gates of a build that is not paused run", async () => {
    await expect(build.status).toHaveText("Needs your answer", { timeout: 60_000 });
    await side.getByRole("button", { name: "Run gates now" }).click();
    await build.show("Gates");
    await expect(build.log.getByText("requested to run the gates")).toBeVisible();
    await expect(
      build.log.getByRole("button", { name: /^Gate unit passed on request/ }),
    ).toBeVisible();
    await build.show("All");
  });

  await test.step("the resumed build continues with the changed gate", async () => {
    await build.screen.getByRole("button", { name: "Pause" }).click();
    await expect(build.status).toHaveText("Paused");
    await page.goto(settings);
    await field("Command").fill("node --test");
    await gates.getByRole("checkbox", { name: "Required" }).uncheck();
    await save(page);
    await page.goto(buildPath(started));
    await build.screen.getByRole("button", { name: "Resume" }).click();
    const dialog = page.getByRole("dialog", { name: "Resume with changed gates?" });
    await expect(dialog).toContainText(
      "unit: runs node --test instead of node --test --test-reporter=tap, no longer required",
    );
    await expect(dialog).toContainText("The build cannot be certified");
    await inspect(page, "resume-with-changed-gates");
    await dialog.getByRole("button", { name: "Resume" }).click();
    await expect(build.status).toHaveText("Needs your answer");
    await expect(build.log.getByText("resumed the build with 1 changed gate")).toBeVisible();
    await expect(side.getByText("optional")).toBeVisible();
  });

  await test.step("the verdict says so", async () => {
    await api.answer(started.build, "Two weeks");
    const sealed = await api.reaches(started.build, "sealed");
    expect(sealed.verdict).toBe("CONDITIONAL");
    await page.goto(`${buildPath(started)}?tab=seal`);
    await expect(build.seal.getByText(/unit: no longer required since .* resumed/)).toBeVisible();
  });
});
