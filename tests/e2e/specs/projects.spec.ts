// The list of projects, one project, its contracts and its settings.
import { expect, test } from "../support/fixtures";
import { follow, openProject, title } from "../support/navigation";

test("project is created, opened and described", async ({ adminPage: page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("tab", { name: "Start from a description" }).click();
  const form = page.getByRole("dialog", { name: "New project" });
  await form.getByRole("button", { name: "Create project" }).click();
  await expect(form.getByText("Enter a name")).toBeVisible();

  await form.getByLabel("Name").fill("Garden diary");
  await form.getByRole("textbox", { name: "Description" }).fill("Notes on what grows where.");
  await form.getByRole("button", { name: "Create project" }).click();
  await expect(page).toHaveURL(/\/projects\/garden-diary\/questionnaire\/\w+$/);
  await openProject(page, "Garden diary");
  await expect(page).toHaveURL(/\/projects\/garden-diary$/);
  await expect(page.getByText(/git clone http/)).toBeVisible();

  await follow(page.getByRole("link", { name: "ForgeGuard" }), title(page, "Projects"));
  await openProject(page, "Garden diary");
  await expect(page.getByText("Notes on what grows where.")).toBeVisible();
});

test("contracts are listed in order and readable", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}`);
  const contracts = page.getByRole("listitem").filter({ hasText: /tokens/ });
  await expect(contracts).toHaveCount(9);
  await expect(contracts.first()).toContainText("Manifesto");
  await expect(contracts.last()).toContainText(/directive/i);

  await follow(contracts.filter({ hasText: "Phases" }).getByRole("link"), title(page, "Phases"));
  await expect(page.getByRole("heading", { name: /Due dates/ })).toBeVisible();
  // The document starts with the same heading, which ranks below the page's.
  await expect(title(page, "Phases")).toHaveCount(1);
});

test("settings are validated and saved", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}`);
  await follow(page.getByRole("link", { name: "Settings" }), title(page, "Settings"));
  await expect(page).toHaveURL(/\/settings$/);
  const save = page.getByRole("button", { name: "Save settings" });
  await expect(save).toBeDisabled();

  await page.getByRole("button", { name: "Add gate" }).click();
  const gate = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("textbox", { name: "Command" }) })
    .last();
  await save.click();
  await expect(gate.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await gate.getByLabel("Name").fill("spelling");
  await gate.getByLabel("Command").fill("node --check src/main.js");
  await save.click();
  await expect(page.getByText("Settings saved.")).toBeVisible();

  await page.reload();
  await expect(gate.getByRole("textbox", { name: "Command" })).toHaveValue(
    "node --check src/main.js",
  );
});

test("project without gates uses those detected in its repository", async ({
  adminPage: page,
  api,
}) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}/settings`);
  const gates = page.getByRole("region", { name: "Gates", exact: true });
  const detected = page.getByRole("region", { name: "Detected in the repository" });
  await expect(detected.getByText("package.json has a script test")).toBeVisible();
  await expect(detected.getByText("The next build uses your own gate.")).toBeVisible();

  await gates.getByRole("button", { name: "Remove gate test" }).click();
  await expect(detected.getByText("The next build uses the detected gate.")).toBeVisible();
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByText("Settings saved.")).toBeVisible();
  const { build } = await api.startDemo();
  await page.goto(`/projects/${project}/builds/${build}`);
  const side = page.getByRole("complementary", { name: "Build details" });
  await expect(side.getByText("Detected in the repository", { exact: false })).toBeVisible();
  await expect(side.getByText("npm test")).toBeVisible();

  await page.goto(`/projects/${project}/settings`);
  await detected.getByRole("button", { name: "Add test" }).click();
  await expect(gates.getByRole("textbox", { name: "Command" })).toHaveValue("npm test");
  await detected.getByRole("switch").click();
  // The first message may still be visible.
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.getByRole("button", { name: "Save settings" }).click();
  await saved;
  await page.reload();
  await expect(gates.getByRole("textbox", { name: "Command" })).toHaveValue("npm test");
  await expect(detected.getByRole("switch")).not.toBeChecked();
  await expect(detected.getByRole("button", { name: "Added test" })).toBeDisabled();
});

test("unknown address shows a not-found page", async ({ adminPage: page }) => {
  await page.goto("/projects/01990000-0000-7000-8000-000000000000");
  await expect(page.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { name: "This page does not exist" })).toBeVisible();
  await follow(page.getByRole("link", { name: "All projects" }), title(page, "Projects"));
});
