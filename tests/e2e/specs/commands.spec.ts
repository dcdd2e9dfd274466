// Commands and messages to a running build.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";

// Slow enough to stop the build before its question.
test.use({ pace: 200 });

test("build is paused, receives a message and is resumed", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await build.line.fill("/pause");
  await press(build.line, "Enter");
  await expect(build.status).toHaveText("Paused");

  await build.line.fill("/interject Keep the functions short.");
  await press(build.line, "Enter");
  await expect(build.log.getByText("Keep the functions short.")).toBeVisible();
  const told = (await api.events(started.build)).map(({ type }) => type);
  expect(told.filter((type) => type === "build_interjected")).toHaveLength(1);
  expect(told.slice(told.lastIndexOf("build_paused"))).not.toContain("build_agent_turn");

  await build.line.fill("/resume");
  await press(build.line, "Enter");
  await expect(build.status).toHaveText("Running");
});

test("cancelled build stops and keeps its branch", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.status).toHaveText("Running");
  await build.line.fill("/cancel changed my mind");
  await press(build.line, "Enter");
  await expect(build.status).toHaveText("Cancelled");
  await expect(build.screen.getByText(/^This build has ended\./)).toBeVisible();
  await expect(build.log.getByText(/changed my mind/).last()).toBeVisible();
  await expect(build.screen.getByText("abandoned")).toBeVisible();
});

test("buttons pause and cancel a build after confirmation", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const build = ide(page);
  await build.screen.getByRole("button", { name: "Pause" }).click();
  await expect(build.status).toHaveText("Paused");
  await build.screen.getByRole("button", { name: "Cancel" }).click();
  const sure = page.getByRole("dialog", { name: "Cancel this build?" });
  await sure.getByRole("button", { name: "Keep running" }).click();
  await expect(build.status).toHaveText("Paused");
  await build.screen.getByRole("button", { name: "Cancel" }).click();
  await sure.getByRole("button", { name: "Cancel build" }).click();
  await expect(build.status).toHaveText("Cancelled");
});

test("command line suggests and explains commands", async ({ adminPage: page, api }) => {
  await page.goto(buildPath(await api.startDemo()));
  const { screen, line } = ide(page);
  await line.fill("/");
  const offers = screen.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await expect(offers).toHaveCount(5);
  await press(line, "ArrowDown");
  await expect(offers.nth(1)).toHaveAttribute("aria-selected", "true");
  await line.fill("/hel");
  await press(line, "Enter");
  await expect(page.getByRole("dialog", { name: "Commands" })).toContainText("/interject");
});
