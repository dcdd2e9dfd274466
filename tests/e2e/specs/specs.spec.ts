// A project from a spec, and a new version of the spec.
import { expect, test } from "../support/fixtures";
import { pushFiles } from "../support/repository";
import { inspect } from "../support/screen";

const INVALID = "# Fines\n\n## Requirements\n- Late loans cost 1 € a day\n\n## Pass Criteria\n";
const SPEC = `${INVALID}- Four days cost 4 € — test: four_days\n- \`npm run lint\` passes\n
## Implementation Plan
### Phase 1: Rules
- Write the rule
### Phase 2: Receipt
- Print the fine

## Test Command
\`npm test\`
`;

test("project is created from a spec, and the spec is replaced", async ({ adminPage: page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("tab", { name: "Start from a spec" }).click();
  const form = page.getByRole("dialog", { name: "New project" });
  await form.getByLabel("Name").fill("Fines");
  const spec = form.getByRole("textbox", { name: "Spec" });
  await spec.fill(INVALID);
  await expect(form.getByText("This spec cannot be built yet")).toBeVisible();
  await expect(form.getByText(/Line 6.*no criterion was found/)).toBeVisible();
  await inspect(page, "spec-invalid");

  await form.locator("input[type=file]").setInputFiles({
    name: "spec.md",
    mimeType: "text/markdown",
    buffer: Buffer.from(SPEC),
  });
  await expect(spec).toHaveValue(SPEC);
  await expect(form.getByText("2 criteria")).toBeVisible();
  await expect(form.getByText("This spec cannot be built yet")).toBeHidden();
  await form.getByRole("button", { name: "How each criterion is proven" }).click();
  await expect(form.getByText(/test four_days/)).toBeVisible();
  await inspect(page, "spec-valid");

  await form.getByRole("button", { name: "Create project" }).click();
  await expect(page).toHaveURL(/\/projects\/fines\/contracts$/);
  await expect(page.getByText("3 contracts written")).toBeVisible();
  await expect(page.getByText("Answer required questions")).toBeHidden();
  await page.goto("/projects/fines");
  await expect(page.getByRole("navigation", { name: "Progress" })).toContainText("Not started");
  await expect(page.getByText("Describe your project")).toBeHidden();
  await page.goto("/projects/fines/contracts/phases");
  await expect(page.getByRole("heading", { name: /Receipt/ })).toBeVisible();
  await expect(page.getByText("four_days").first()).toBeVisible();

  await page.goto("/projects/fines/settings");
  await expect(page.getByRole("region", { name: "Gates" }).getByLabel("Command")).toHaveValue(
    "npm test",
  );
  const card = page.getByRole("region", { name: "Spec" });
  await expect(card.getByText("Version 1")).toBeVisible();
  await card.getByRole("textbox", { name: "Spec" }).fill(SPEC.replace("npm test", "npm run all"));
  await card.getByRole("button", { name: "Replace spec" }).click();
  await expect(card.getByText("Version 2")).toBeVisible();
  await inspect(page, "spec-settings");
  await page.reload();
  await expect(page.getByRole("region", { name: "Gates" }).getByLabel("Command")).toHaveValue(
    "npm run all",
  );
});

test("spec is read from the repository", async ({ adminPage: page, api, server }) => {
  const { id } = await api.post<{ id: string }>("/api/projects", { name: "Fines" });
  await pushFiles(server.address, api, id, {
    "README.md": "# Fines\n",
    "specs/fines/spec.md": SPEC,
    "specs/fines/tasks.md": "# Tasks: Fines\n",
  });
  await page.goto(`/projects/${id}/settings`);
  const card = page.getByRole("region", { name: "Spec" });
  await card.getByRole("button", { name: "From the repository" }).click();
  const dialog = page.getByRole("dialog", { name: "Read a spec from the repository" });
  const path = dialog.getByRole("combobox", { name: "File or folder" });
  await path.fill("missing.md");
  await dialog.getByRole("button", { name: "Read" }).click();
  await expect(dialog.getByText(/main has no such text/)).toBeVisible();
  await path.fill("fines");
  await page.getByRole("option", { name: "specs/fines", exact: true }).click();
  await inspect(page, "spec-from-repository");
  await dialog.getByRole("button", { name: "Read" }).click();
  await expect(dialog).toBeHidden();
  await expect(card.getByRole("textbox", { name: "Spec" })).toHaveValue(
    `${SPEC}\n# Tasks: Fines\n`,
  );
  await expect(card.getByText("2 criteria")).toBeVisible();
  await card.getByRole("button", { name: "Add spec" }).click();
  await expect(card.getByText("Version 1")).toBeVisible();
});
