// The notepad: autosave and conflicts.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";

test("notepad is saved and survives a reload", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const { screen, notepad } = ide(page);
  await notepad.fill("Prefer short words.");
  await expect(screen.getByText(/^Saved \d/)).toBeVisible();
  await page.reload();
  await expect(notepad).toHaveValue("Prefer short words.");
  const saved = await api.get(`/api/projects/${started.project}/notepad`);
  expect(saved).toMatchObject({ content: "Prefer short words." });
});

test("conflict shows both versions until one is chosen", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  const path = `/api/projects/${started.project}/notepad`;
  await page.goto(buildPath(started));
  const { screen, notepad } = ide(page);
  await expect(notepad).toHaveValue("");
  const { version } = await api.get<{ version: number }>(path);
  await api.put(path, { content: "From another window.", version });

  await notepad.fill("From this window.");
  const conflict = screen.getByRole("alert").filter({ hasText: "Changed in another window" });
  await expect(conflict.getByLabel("Other version")).toHaveValue("From another window.");
  await conflict.getByRole("button", { name: "Keep my version" }).click();
  await expect(conflict).toBeHidden();
  await expect.poll(() => api.get(path)).toMatchObject({ content: "From this window." });
});
