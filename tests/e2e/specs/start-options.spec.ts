// What a build starts from, chosen in the start dialog.
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { inspect } from "../support/screen";

test.use({ hasModel: true });

const phase = (number: number, title: string) =>
  `## Phase ${number} — ${title}\n\n**Deliverables:**\n- a file\n\n**Exit criteria:** it exists\n\n`;

test("build starts at a later phase, with earlier contracts and its own model", async ({
  adminPage: page,
  api,
}) => {
  const project = await api.post<{ id: string }>("/api/projects", { name: "P", description: "" });
  const here = `/api/projects/${project.id}`;
  const content = phase(0, "Lists") + phase(1, "Reports") + phase(2, "Exports");
  await api.put(`${here}/contracts/phases`, { content });
  const budgets = { usd_micros: "unlimited" };
  const earlier = await api.post<{ id: string }>(`${here}/builds`, { budgets });
  await api.post(`/api/builds/${earlier.id}/cancel`);
  await api.reaches(earlier.id, "abandoned");
  await api.put(`${here}/contracts/phases`, { content: phase(0, "Other") });

  await page.goto(`/projects/${project.id}`);
  await page.getByRole("button", { name: "Start options" }).click();
  const dialog = page.getByRole("dialog", { name: "Start build" });
  await dialog.getByRole("button", { name: "Advanced" }).click();
  await expect(dialog.getByRole("combobox", { name: "Baseline branch" })).toHaveAttribute(
    "placeholder",
    "main",
  );
  await dialog.getByRole("combobox", { name: "Contracts" }).click();
  await page.getByRole("option", { name: /Phases 1/ }).click();
  await dialog.getByRole("combobox", { name: "First phase" }).click();
  await page.getByRole("option", { name: "1. Reports" }).click();
  const coder = dialog.getByRole("textbox", { name: "Model of the coder" });
  await coder.fill("anthropic/m-1");
  await expect(dialog.getByText(/ANTHROPIC_API_KEY/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Start build" })).toBeDisabled();
  await coder.fill("openai/gpt-6.1-sol");
  await expect(dialog.getByRole("button", { name: "Start build" })).toBeEnabled();
  await inspect(page, "build-start-advanced");
  await dialog.getByRole("button", { name: "Limits and options" }).click();
  await dialog.getByRole("button", { name: "Choose an agent for each phase" }).click();
  await expect(dialog.getByRole("combobox", { name: /^Phase / })).toHaveCount(2);
  await dialog.getByRole("combobox", { name: "Phase 2: Exports" }).click();
  await page.getByRole("option", { name: "Own editor" }).last().click();
  await inspect(page, "build-start-phase-agents");
  await dialog.getByRole("button", { name: "Start build" }).click();

  const build = ide(page);
  await expect(build.screen.getByText("Skipped by")).toContainText("started at phase 1");
  await expect(build.screen.getByText("(chosen for this build)")).toBeVisible();
  const [started] = (await api.get<{ items: { id: string }[] }>(`${here}/builds`)).items;
  expect(await api.get(`/api/builds/${started?.id}`)).toMatchObject({
    models: { coder: "openai/gpt-6.1-sol" },
    executor: "builtin",
    phase_executors: [{ phase: 2, executor: "own_editor" }],
    phases: [{ status: "skipped" }, { title: "Reports" }, { title: "Exports" }],
    pinned_at: expect.any(String),
  });
});
