// The questionnaire as a conversation, with and without a model.
import { expect, test } from "../support/fixtures";
import { interview, SHEEP, shepherd } from "../support/interview";
import { press } from "../support/keyboard";
import { follow } from "../support/navigation";
import { newProject, questionnaire } from "../support/questionnaire";
import { inspect } from "../support/screen";

test.describe("with a model", () => {
  test.use({ hasModel: true });

  test("project starts with free text, and gaps are asked", async ({ adminPage: page, model }) => {
    shepherd(model);
    const talk = interview(page);
    const held = model.hold("interview");
    await page.goto("/");
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByRole("tab", { name: "Start from a description" }).click();
    const dialog = page.getByRole("dialog", { name: "New project" });
    await dialog.getByLabel("Name").fill("Flock");
    await dialog.getByLabel("Describe your project").fill(SHEEP);
    await inspect(page, "new-project");
    await dialog.getByRole("button", { name: "Create project" }).click();
    await expect(page).toHaveURL(/\/questionnaire\/conversation$/);
    await expect(page).toHaveTitle(/^Conversation — Flock/);
    await expect(talk.messages).toHaveText([`You: ${SHEEP}`]);
    await held.reached;
    await expect(page.getByText("Filling in the form…")).toBeVisible();
    await expect(talk.progress).toHaveAttribute("aria-valuetext", "3 of 25");
    await expect(talk.understood.getByText("Shepherds in the hills.")).toBeVisible();
    await inspect(page, "interview-answering");
    held.release();
    await expect(talk.messages).toHaveCount(2);
    await expect(talk.messages.last()).toContainText("What do they see");
    await expect(talk.field).toBeFocused();

    await page.keyboard.type("A terminal.");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Nothing else.");
    await page.keyboard.press("Enter");
    await expect(talk.messages).toHaveCount(4);
    await expect(talk.messages.nth(2)).toHaveText("You: A terminal.\nNothing else.");
    await expect(talk.field).toHaveValue("");
    await expect(talk.progress).toHaveAttribute("aria-valuetext", "4 of 25");
    const kind = talk.understood.getByRole("link", {
      name: /^Change: What kind of interface does it have/,
    });
    await expect(kind).toContainText("(new)");
    await expect(kind).toBeInViewport();
    await inspect(page, "interview");

    // An answer is corrected in the form, and the conversation is kept.
    await kind.click();
    const choice = questionnaire(page).choice("What kind of interface does it have?");
    await expect(choice.getByRole("radio", { name: "A terminal" })).toBeFocused();
    await choice.getByText("A web page").click();
    await follow(talk.ways.getByRole("link", { name: "Conversation" }), talk.messages.first());
    await expect(kind).toContainText("A web page");
    await expect(talk.messages).toHaveCount(4);
  });

  test("message survives a reload, a rejection and another window", async ({
    adminPage: page,
    api,
    context,
    model,
  }) => {
    shepherd(model);
    const project = await newProject(api);
    const talk = interview(page);
    await page.goto(`${project.page}/conversation`);
    await talk.first.fill("Half a th");
    await page.reload();
    await expect(talk.first).toHaveValue("Half a th");

    model.refuse(true);
    await talk.first.fill(SHEEP);
    await talk.send.click();
    const failed = page.getByRole("alert").filter({ hasText: "No reply" });
    await expect(failed).toContainText("OPENAI_API_KEY");
    await expect(talk.messages).toHaveCount(1);
    await inspect(page, "interview-failed");

    // The form is edited while the model is working.
    model.refuse(false);
    const held = model.hold("interview");
    await failed.getByRole("button", { name: "Try again" }).click();
    await held.reached;
    const other = await context.newPage();
    await other.goto(`${project.page}/product_intent`);
    const form = questionnaire(other);
    await expect(form.users).toHaveValue("Shepherds in the hills.");
    await form.users.fill("Shepherds and dogs.");
    await expect(form.saved).toBeVisible();
    held.release();
    await expect(talk.messages).toHaveCount(2);
    await expect(failed).toBeHidden();
    await expect
      .poll(async () => (await project.read()).answers.product_intent?.users)
      .toBe("Shepherds and dogs.");
    // Chromium draws fewer frames of a page behind another one.
    await other.close();

    // The reply can be stopped, and the messages are kept.
    const again = model.hold("interview");
    await talk.field.fill("A terminal");
    await talk.send.click();
    await again.reached;
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(page.getByText("You stopped the reply")).toBeVisible();
    await expect(talk.messages).toHaveCount(3);
    again.release();
  });

  test("conversation is usable with the keyboard alone", async ({
    adminPage: page,
    api,
    model,
  }) => {
    shepherd(model);
    const project = await newProject(api);
    const talk = interview(page);
    await page.goto(`/projects/${project.id}`);
    await press(page.getByRole("link", { name: "Start conversation" }), "Enter");
    await expect(talk.first).toBeFocused();
    await inspect(page, "interview-first");
    await press(talk.first, "Enter");
    await expect(talk.messages).toHaveCount(0);
    await page.keyboard.type(SHEEP);
    await page.keyboard.press("Enter");
    await expect(talk.messages).toHaveCount(2);
    await expect(talk.log).toHaveAttribute("role", "log");
    await expect(talk.field).toBeFocused();
  });
});

test("description becomes the form's first answer without a model", async ({
  adminPage: page,
  api,
}) => {
  const form = questionnaire(page);
  await page.goto("/");
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("tab", { name: "Start from a description" }).click();
  const dialog = page.getByRole("dialog", { name: "New project" });
  const words = dialog.getByLabel("Describe your project");
  await dialog.getByLabel("Name").fill("Flock");
  await words.fill("x".repeat(20_001));
  await dialog.getByRole("button", { name: "Create project" }).click();
  await expect(dialog.getByText("Shorten this to 20,000 characters; it has 20,001.")).toBeVisible();
  await words.fill(SHEEP);
  await page.reload();
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("tab", { name: "Start from a description" }).click();
  await expect(words).toHaveValue(SHEEP);
  await dialog.getByRole("button", { name: "Create project" }).click();
  await expect(form.summary).toHaveValue(SHEEP);
  await expect(form.saved).toBeVisible();
  const { items } = await api.get<{ items: { id: string; name: string }[] }>("/api/projects");
  const id = items.find(({ name }) => name === "Flock")?.id;
  const path = `/api/projects/${id}/questionnaire`;
  const { answers } = await api.get<{ answers: object }>(path);
  expect(answers).toEqual({ product_intent: { summary: SHEEP } });
  await expect(interview(page).ways).toBeHidden();

  await page.goto(`/projects/${id}/questionnaire/conversation`);
  await expect(page.getByText("No model available")).toBeVisible();
  await inspect(page, "interview-no-model");
});
