// A new installation without a key: an administrator sets one, and the first real build starts.
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

const KEY = "sk-test-0123456789abcdef";

test("key set in the app makes a project ready and starts its first build", async ({
  adminPage: page,
  api,
  model,
}) => {
  const project = await api.post<{ id: string }>("/api/projects", { name: "P", description: "" });
  const content =
    "## Phase 0 — All\n\n**Deliverables:**\n- a file\n\n**Exit criteria:** it exists\n";
  await api.put(`/api/projects/${project.id}/contracts/phases`, { content });
  await page.goto(`/projects/${project.id}`);
  const offer = page.getByRole("region", { name: "Prepare the first build" });
  await expect(offer.getByText(/No model is configured/)).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Build" }).first()).toBeVisible();
  await inspect(page, "project-not-ready");

  const openai = page.getByRole("region", { name: "OpenAI" });
  await follow(offer.getByRole("link", { name: "Set model and key" }), openai);
  await expect(openai.getByText("Not set")).toBeVisible();
  await openai.getByLabel("Key", { exact: true }).fill(KEY);
  await openai.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
  await openai.getByRole("button", { name: "Save and test" }).click();
  await expect(openai.getByText(/cannot be reached/)).toBeVisible();
  await openai.getByLabel("New key").fill(KEY);
  await openai.getByLabel("Base URL").fill(model.settings.OPENAI_BASE_URL ?? "");
  await openai.getByRole("button", { name: "Save and test" }).click();
  await expect(openai.getByText("The connection works")).toBeVisible();
  await expect(openai.getByText(/Key ending in cdef/)).toBeVisible();
  await expect(page.getByText("In use: openai/gpt-6.1-sol").first()).toBeVisible();
  await inspect(page, "model-providers");

  await page.goto(`/projects/${project.id}`);
  const ready = page.getByRole("region", { name: "Ready to build" });
  await expect(
    ready.getByText("openai/gpt-6.1-sol").or(ready.getByText("gpt-6.1-sol")),
  ).toBeVisible();
  await ready.getByRole("button", { name: "Start build" }).click();
  const dialog = page.getByRole("dialog", { name: "Start build" });
  await dialog.getByRole("textbox", { name: "US dollars" }).fill("5");
  await dialog.getByRole("button", { name: "Start build" }).click();
  await expect(ide(page).screen.getByText("greeting.txt").first()).toBeVisible({ timeout: 60_000 });
});
