// What should be built, said in one's own words: answered by a model, or the form's first answer.
import { expect, test } from "../support/fixtures";
import { interview, SHEEP, shepherd } from "../support/interview";
import { newProject, questionnaire } from "../support/questionnaire";
import { inspect } from "../support/screen";

test.describe("with a model", () => {
  test.use({ hasModel: true });

  test("a project begins with free text, and the gaps are asked", async ({
    adminPage: page,
    model,
  }) => {
    shepherd(model);
    const talk = interview(page);
    const held = model.hold("interview");
    await page.goto("/");
    await page.getByRole("button", { name: "New project" }).click();
    const dialog = page.getByRole("dialog", { name: "New project" });
    await dialog.getByLabel("Name").fill("Flock");
    await dialog.getByLabel("Describe it in your own words").fill(SHEEP);
    await inspect(page, "new-project");
    await dialog.getByRole("button", { name: "Create project" }).click();
    await expect(page).toHaveURL(/\/questionnaire\/conversation$/);
    await expect(page).toHaveTitle(/^Conversation — Flock/);
    await expect(talk.messages).toHaveText([`You: ${SHEEP}`]);
    await held.reached;
    await expect(page.getByText("Writes down what it understood…")).toBeVisible();
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
    const kind = talk.understood.getByRole("link", { name: /^Change: What do people see/ });
    await expect(kind).toContainText("(just understood)");
    await expect(kind).toBeInViewport();
    await inspect(page, "interview");

    // An answer is corrected where it is asked, and the talk is still there.
    await kind.click();
    const choice = questionnaire(page).choice("What do people see?");
    await expect(choice.getByRole("radio", { name: "A terminal" })).toBeFocused();
    await choice.getByText("A web page").click();
    await talk.ways.getByRole("link", { name: "Conversation" }).click();
    await expect(kind).toContainText("A web page");
    await expect(talk.messages).toHaveCount(4);
  });

  test("what is typed is not lost: by a reload, a refusal, or another window", async ({
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
    const failed = page.getByRole("alert").filter({ hasText: "No answer came" });
    await expect(failed).toContainText("OPENAI_API_KEY");
    await expect(talk.messages).toHaveCount(1);
    await inspect(page, "interview-failed");

    // Somebody types into the form while the model is at it.
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

    // It can be stopped, and what was said stands.
    const again = model.hold("interview");
    await talk.field.fill("A terminal");
    await talk.send.click();
    await again.reached;
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(page.getByText("You stopped the answer")).toBeVisible();
    await expect(talk.messages).toHaveCount(3);
    again.release();
  });

  test("a conversation is written and read with the keyboard alone", async ({
    adminPage: page,
    api,
    model,
  }) => {
    shepherd(model);
    const project = await newProject(api);
    const talk = interview(page);
    await page.goto(`/projects/${project.id}`);
    await page.getByRole("link", { name: "In my own words" }).press("Enter");
    await expect(talk.first).toBeFocused();
    await inspect(page, "interview-first");
    await talk.first.focus();
    await page.keyboard.press("Enter");
    await expect(talk.messages).toHaveCount(0);
    await page.keyboard.type(SHEEP);
    await page.keyboard.press("Enter");
    await expect(talk.messages).toHaveCount(2);
    await expect(talk.log).toHaveAttribute("role", "log");
    await expect(talk.field).toBeFocused();
  });
});

test("without a model one's own words are the form's first answer", async ({
  adminPage: page,
  api,
}) => {
  const form = questionnaire(page);
  await page.goto("/");
  await page.getByRole("button", { name: "New project" }).click();
  const dialog = page.getByRole("dialog", { name: "New project" });
  const words = dialog.getByLabel("Describe it in your own words");
  await dialog.getByLabel("Name").fill("Flock");
  await words.fill("x".repeat(20_001));
  await dialog.getByRole("button", { name: "Create project" }).click();
  await expect(dialog.getByText("Shorten this to 20,000 characters; it has 20,001.")).toBeVisible();
  await words.fill(SHEEP);
  await page.reload();
  await page.getByRole("button", { name: "New project" }).click();
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
  await expect(page.getByText("There is no model to talk to")).toBeVisible();
  await inspect(page, "interview-no-model");
});
