// The notepad beside a build: it saves by itself and loses neither of two texts.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";

test("what is typed is saved, and there after loading again", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const { dialog, notepad } = ide(page);
  await notepad.fill("Prefer short words.");
  await expect(dialog.getByText(/^Saved \d/)).toBeVisible();
  await page.reload();
  await expect(notepad).toHaveValue("Prefer short words.");
  const saved = await api.get(`/api/projects/${started.project}/notepad`);
  expect(saved).toMatchObject({ content: "Prefer short words." });
});

test("two versions stand side by side until someone chooses", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  const path = `/api/projects/${started.project}/notepad`;
  await page.goto(buildPath(started));
  const { dialog, notepad } = ide(page);
  await expect(notepad).toHaveValue("");
  const { version } = await api.get<{ version: number }>(path);
  await api.put(path, { content: "From another window.", version });

  await notepad.fill("From this window.");
  const conflict = dialog.getByRole("alert").filter({ hasText: "Changed somewhere else" });
  await expect(conflict.getByLabel("The other version")).toHaveValue("From another window.");
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await expect(conflict).toBeHidden();
  await expect.poll(() => api.get(path)).toMatchObject({ content: "From this window." });
});
