// A build whose phases a user implements in their own editor.
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { pushCommit } from "../support/repository";
import { inspect } from "../support/screen";

test.use({ hasModel: true });

const PHASES =
  "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n**Exit criteria:**\n- it greets\n";

test("build waits until the work is pushed, and judges it", async ({
  adminPage: page,
  api,
  server,
}) => {
  const { id } = await api.post<{ id: string }>("/api/projects", { name: "P", description: "" });
  await api.put(`/api/projects/${id}/contracts/phases`, { content: PHASES });
  await page.goto(`/projects/${id}`);
  await page.getByRole("button", { name: "Start options" }).click();
  const dialog = page.getByRole("dialog", { name: "Start build" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("Greet");
  await dialog.getByRole("button", { name: "Limits and options" }).click();
  await dialog.getByRole("combobox", { name: "Coding agent" }).click();
  await page.getByRole("option", { name: "Own editor" }).click();
  await dialog.getByRole("button", { name: "Start build" }).click();

  const { screen, answers, status } = ide(page);
  const branch = "forge/build-1-greet";
  const card = screen.getByRole("region", { name: `Implement phase 0 and push it to ${branch}.` });
  await expect(card).toContainText(`git clone -b ${branch} ${server.address}/git/`);
  await expect(card.getByRole("button", { name: "Let AI decide" })).toHaveCount(0);
  await expect(screen.getByText("Own editor", { exact: true })).toBeVisible();
  await inspect(page, "build-own-editor");

  await answers.getByRole("button", { name: "Run the gates" }).click();
  await expect(card).toContainText("Nothing has been pushed since the work began.");
  await pushCommit(server.address, api, id, branch, { "greeting.txt": "Hello\nWorld\n" });
  await answers.getByRole("button", { name: "Run the gates" }).click();
  await expect(status).toHaveText("Waiting for review", { timeout: 60_000 });
  const [build] = (await api.get<{ items: { id: string }[] }>(`/api/projects/${id}/builds`)).items;
  const commits = await api.get<{ items: object[] }>(`/api/builds/${build?.id}/commits`);
  expect(commits.items.at(-1)).toMatchObject({ author_kind: "human", title: "All files" });
});
