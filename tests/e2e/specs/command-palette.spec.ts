// The command palette and keyboard shortcuts.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";
import { inspect } from "../support/screen";

test("palette opens a contract and runs actions", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  const field = page.getByRole("combobox", { name: "Search or jump to" });
  const chosen = page.getByRole("option", { selected: true });
  await page.goto("/");
  await page.getByRole("button", { name: "Search or jump to" }).click();
  await expect(field).toBeFocused();
  await field.fill("shelf");
  await expect(chosen).toContainText("Shelf");
  await inspect(page, "palette");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/projects\/shelf$/);

  await page.getByRole("button", { name: "Start demo build" }).waitFor();
  await page.keyboard.press("Control+k");
  await field.fill("physics");
  await expect(chosen).toContainText("API endpoints");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/contracts\/physics$/);

  await page.goto(`/projects/${project}`);
  await page.getByRole("button", { name: "Start demo build" }).waitFor();
  await page.keyboard.press("Control+k");
  await field.fill("start build");
  await page.keyboard.press("Enter");
  await expect(ide(page).answers).toBeVisible({ timeout: 60_000 });

  await page.keyboard.press("Control+k");
  await field.fill("pause");
  await page.keyboard.press("Enter");
  await expect(ide(page).status).toHaveText("Paused");
  await page.keyboard.press("Control+k");
  await field.fill("cancel");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Cancel this build?" })).toBeVisible();
});

test("Escape closes palette and shortcuts, not the build behind them", async ({
  adminPage: page,
  api,
}) => {
  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  const build = ide(page);
  await page.goto(buildPath(started));
  await expect(build.line).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(build.line).toBeFocused();

  await build.line.fill("g2");
  await page.keyboard.press("?");
  await expect(build.line).toHaveValue("g2?");
  await expect(build.activity).toHaveAttribute("aria-selected", "true");

  await press(build.activity, "?");
  const map = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(map.getByText("Show Changes")).toBeVisible();
  await inspect(page, "keyboard-map");
  await page.keyboard.press("2");
  await expect(build.activity).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(map).toBeHidden();
  await page.keyboard.press("2");
  await expect(build.changes).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("/");
  await expect(build.line).toBeFocused();
  await expect(build.line).toHaveValue("g2?");
});

test("single-key shortcuts can be disabled, and sequences navigate", async ({
  adminPage: page,
  api,
}) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}`);
  await page.getByRole("button", { name: "Start demo build" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/\/contracts$/);
  await page.keyboard.press("?");
  await page.getByRole("switch", { name: "Single-key shortcuts" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeVisible();
  await expect(page).toHaveURL(/\/contracts$/);
});
