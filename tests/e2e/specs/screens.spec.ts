// Checks every screen with axe at all widths and in both color schemes, and takes screenshots.
import { expect, signIn, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { follow } from "../support/navigation";
import { newProject, questionnaire } from "../support/questionnaire";
import { inspect } from "../support/screen";
import { ADMIN } from "../support/server";

const ANSWERS = {
  product_intent: {
    summary: "It keeps notes on what grows where, and says each morning what to water.",
    users: "גננים, and people who water while they are away 🌱",
    features: [
      "A gardener notes what was sown where, so that nothing is dug up by mistake",
      "A neighbour sees what needs water today",
      "<b>Everybody</b> sees last year's plan",
    ],
  },
  tech_stack: { language: "Python" },
  database_schema: { storage: "A text file for each bed" },
};

test.describe.configure({ timeout: 400_000 });

test.describe("before the first account", () => {
  test.use({ hasAdmin: false });

  test("first start", async ({ page, server }) => {
    await page.goto(server.setupUrl ?? "");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByText("Enter your name")).toBeVisible();
    await inspect(page, "first-start");
  });
});

test("sign in", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await inspect(page, "sign-in");
});

test("project list, empty and with projects", async ({ page, server, api }) => {
  const person = { email: "new@example.org", password: "a password of mine" };
  await api.post("/api/users", { ...person, name: "New Person", role: "user" });
  await signIn(page, server, person);
  await page.goto("/");
  await expect(page.getByText("No projects yet")).toBeVisible();
  await inspect(page, "projects-empty");

  await page.context().clearCookies();
  await signIn(page, server, ADMIN);
  await page.goto("/");
  await expect(page.getByRole("article")).toHaveCount(1);
  await inspect(page, "projects");
  await page.getByRole("button", { name: "New project" }).click();
  await expect(page.getByRole("dialog", { name: "New project" })).toBeVisible();
  await inspect(page, "project-new");
});

test("project and its settings", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}`);
  await expect(page.getByText("Manifesto")).toBeVisible();
  await inspect(page, "project");
  await page.goto(`/projects/${project}/settings`);
  await expect(page.getByRole("button", { name: "Save settings" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Add test" })).toBeVisible();
  await inspect(page, "project-settings");
});

test("start dialog and installation settings", async ({ adminPage: page, api }) => {
  const project = await newProject(api);
  const content =
    "## Phase 0 — All\n\n**Deliverables:**\n- a file\n\n**Exit criteria:** it exists\n";
  await api.put(`/api/projects/${project.id}/contracts/phases`, { content });
  await page.goto(`/projects/${project.id}`);
  await page.getByRole("button", { name: "Start build" }).click();
  const dialog = page.getByRole("dialog", { name: "Start build" });
  await expect(dialog.getByText(/No model is configured/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Start build" })).toBeDisabled();
  await inspect(page, "build-start");
  await page.goto("/settings");
  await page.getByRole("textbox", { name: "US dollars" }).fill("5");
  await page.getByRole("textbox", { name: "Coder" }).fill("openai/gpt-6.1-sol");
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByText(/OPENAI_API_KEY or OPENAI_BASE_URL/).first()).toBeVisible();
  await inspect(page, "installation-settings");
  await page.getByRole("textbox", { name: "Coder" }).fill("");
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByText("Settings saved.")).toBeVisible();
  await page.goto(`/projects/${project.id}/settings`);
  const dollars = page.getByRole("textbox", { name: "US dollars" });
  await expect(dollars).toHaveAttribute("placeholder", "Installation: 5");
});

test("questionnaire, step by step", async ({ adminPage: page, api, context }) => {
  const project = await newProject(api);
  const form = questionnaire(page);
  await page.goto(`/projects/${project.id}`);
  await expect(page.getByRole("link", { name: /^Start: describe/ })).toBeVisible();
  await inspect(page, "project-undescribed");
  await page.goto(project.page);
  await expect(form.step("Product")).toBeVisible();
  await inspect(page, "questionnaire-empty");

  await project.write(ANSWERS);
  await page.goto(`${project.page}/product_intent`);
  await expect(form.summary).not.toHaveValue("");
  await inspect(page, "questionnaire-list");
  await form.next.click();
  await expect(form.choice("Which programming language?")).toBeVisible();
  await inspect(page, "questionnaire-choice");
  await form.list("Which frameworks and libraries?").getByRole("textbox").fill("x".repeat(600));
  await expect(form.list("Which frameworks and libraries?").getByRole("textbox")).toHaveAttribute(
    "aria-invalid",
    "true",
  );
  await inspect(page, "questionnaire-refused");
  await form.list("Which frameworks and libraries?").getByRole("textbox").fill("Flask 3");
  await expect(form.saved).toBeVisible();

  const other = await context.newPage();
  await other.goto(`${project.page}/product_intent`);
  await expect(questionnaire(other).summary).not.toHaveValue("");
  await project.write({ ...ANSWERS, product_intent: { summary: "Something else." } });
  await questionnaire(other).summary.fill("From this window.");
  await expect(other.getByRole("alert")).toContainText("another window");
  await inspect(other, "questionnaire-conflict");
  await other.getByRole("button", { name: "Save selection" }).click();
  await expect(questionnaire(other).saved).toBeVisible();
  await other.close();

  await page.goto(`${project.page}/review`);
  await expect(form.step("Review")).toBeVisible();
  await inspect(page, "questionnaire-review");
  await page.locator("input[type=file]").setInputFiles({
    name: "answers.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ answers: ANSWERS })),
  });
  await expect(page.getByRole("dialog", { name: "Import answers" })).toBeVisible();
  await inspect(page, "questionnaire-import");
});

test("account page and missing page", async ({ adminPage: page, api }) => {
  await api.post("/api/forge-keys", { name: "laptop" });
  await page.goto("/account");
  await expect(page.getByRole("button", { name: "Revoke laptop" })).toBeVisible();
  await inspect(page, "account");
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await inspect(page, "not-found");
});

test("build with a question", async ({ adminPage: page, api }) => {
  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  await page.goto(buildPath(started));
  await expect(ide(page).answers).toBeVisible();
  await inspect(page, "build-asks");
  await page.goto("/");
  await expect(page.getByRole("article").getByText("1 open question")).toBeVisible();
  await inspect(page, "projects-question");
  await page.goto("/questions");
  await expect(page.getByRole("list", { name: "Open questions" })).toBeVisible();
  await inspect(page, "questions");
});

testWithSealedDemo("sealed build, tab by tab", async ({ adminPage: page, sealedDemo: started }) => {
  const build = ide(page);

  await page.goto(buildPath(started));
  await expect(build.verdict).toContainText("Certified");
  await expect(build.log.getByText(/^Sealed: certified/)).toBeInViewport({ ratio: 1 });
  await expect(build.screen.getByRole("button", { name: "Jump to latest" })).toBeHidden();
  await inspect(page, "build-activity");

  await page.goto(`${buildPath(started)}?tab=changes`);
  await expect(build.screen.getByRole("region", { name: /^Changes in/ }).first()).toBeVisible();
  await inspect(page, "build-changes");

  await page.goto(`${buildPath(started)}?tab=errors`);
  await build.screen.getByRole("button", { name: /^Resolved/ }).click();
  await inspect(page, "build-errors");
  await page.goto(`/projects/${started.project}/errors`);
  await expect(page.getByRole("list", { name: "Errors of all builds" })).toBeVisible();
  await inspect(page, "errors");

  await page.goto(`${buildPath(started)}?tab=usage`);
  await expect(
    build.screen.getByRole("table", { name: "Tokens by role and model" }),
  ).toBeAttached();
  await inspect(page, "build-usage");

  await page.goto(buildPath(started));
  await build.show("Agents");
  const transcript = build.screen.getByRole("region", { name: "Transcript", exact: true });
  await follow(build.log.getByRole("link", { name: "Open transcript" }).last(), transcript);
  await expect(page).toHaveURL(/tab=transcripts&run=/);
  await expect(transcript.getByRole("article").first()).toContainText("Prompt");
  await transcript.getByRole("button", { name: "System prompt" }).click();
  await inspect(page, "build-transcript");
  const transcripts = build.screen.getByRole("region", { name: "Transcripts" });
  await follow(build.screen.getByRole("link", { name: "All transcripts" }), transcripts);
  await expect(transcripts).toContainText("Auditor");
  await inspect(page, "build-transcripts");

  await page.goto(`${buildPath(started)}?tab=seal`);
  await expect(build.seal.getByText("Get the branch")).toBeVisible();
  await inspect(page, "build-seal");
  await build.seal.getByRole("button", { name: /Every exit criterion/ }).click();
  await build.seal.getByRole("button", { name: "Verify" }).click();
  await expect(build.seal.getByText(/is intact/)).toBeVisible();
  await inspect(page, "build-evidence");

  await page.goto(`/projects/${started.project}`);
  await expect(page.getByRole("region", { name: "Latest build" })).toContainText("Certified");
  await inspect(page, "project-built");
});
