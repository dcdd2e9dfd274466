// Contract generation: live, cancelled and resumed, in several windows, with and without a model.
import { expect, test } from "../support/fixtures";
import { answeredProject, generation } from "../support/generation";
import { follow } from "../support/navigation";
import { newProject } from "../support/questionnaire";
import { inspect } from "../support/screen";

test.describe("with a model", () => {
  test.use({ hasModel: true });

  test("contract appears in every window when it is generated", async ({
    adminPage: page,
    api,
    context,
    model,
  }) => {
    const project = await answeredProject(api);
    const { panel, row, title, write, nine } = generation(page);
    await page.goto(project.page);
    await expect(title("The contracts have not been generated yet")).toBeVisible();
    await inspect(page, "generation-offer");
    const schema = model.hold("schema");
    await write.click();
    await expect(panel).toBeFocused();
    await schema.reached;
    await expect(title("Generating Schema, 4 of 9")).toBeVisible();
    await expect(panel.getByText("Reading the project description…")).toBeVisible();
    await expect(panel.getByText("1 of max. 10")).toBeVisible();
    await expect(panel.getByRole("progressbar")).toHaveAttribute("aria-valuetext", "3 of 9");
    await expect(page).toHaveTitle(/^3 of 9 written — Contracts — Garden diary/);
    await expect(row("Stack")).toContainText("Written");
    await expect(row("Stack")).toContainText("v1 · generated");
    await expect(row("Schema")).toContainText("Generating");
    await expect(row("Physics")).toContainText("Waiting");
    await inspect(page, "generation-progress");

    const other = await context.newPage();
    await other.goto(project.page);
    await expect(generation(other).title("Generating Schema, 4 of 9")).toBeVisible();
    await other.goto(`${project.page}/schema`);
    await expect(other.getByText(/^Generating: /)).toBeVisible();
    await expect(
      other.getByRole("heading", { name: "Not written yet", exact: true }),
    ).toBeVisible();

    schema.release();
    await expect(title("9 contracts generated")).toBeVisible();
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    await expect(nine.getByText("Written", { exact: true })).toHaveCount(0);
    await expect(other.getByRole("heading", { name: "gardener" })).toBeVisible();
    await expect(other.getByText(/^Generating: /)).toBeHidden();
    await other.getByRole("tab", { name: "Diagram" }).click();
    await other.getByRole("button", { name: /may reference gardener$/ }).click();
    await expect(other.getByRole("region", { name: "gardener" })).toBeFocused();
    await inspect(other, "contract-diagram");
  });

  test("generation continues after a reload and a server restart", async ({
    adminPage: page,
    api,
    model,
    server,
  }) => {
    const project = await answeredProject(api);
    const { title, reconnecting, nine } = generation(page);
    const blueprint = model.hold("blueprint");
    await project.generate();
    await blueprint.reached;
    await page.goto(project.page);
    await expect(title("Generating Blueprint, 2 of 9")).toBeVisible();
    await page.reload();
    await expect(title("Generating Blueprint, 2 of 9")).toBeVisible();

    await page.evaluate(() => Object.assign(window, { sameLoad: true }));
    await server.kill();
    await expect(reconnecting).toBeVisible();
    blueprint.release();
    await server.startAgain();
    await expect(reconnecting).toBeHidden();
    await expect(title("9 contracts generated")).toBeVisible({ timeout: 60_000 });
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    expect(await page.evaluate(() => "sameLoad" in window)).toBe(true);
  });

  test("hidden tab closes its stream and still shows the progress", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const stack = model.hold("stack");
    await project.generate();
    await stack.reached;
    await page.goto(project.page);
    await expect(page).toHaveTitle(/^2 of 9 written/);
    const given = page.waitForEvent(
      "requestfailed",
      (each) => each.resourceType() === "eventsource",
    );
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      Object.defineProperty(document, "hidden", { value: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await given;
    const phases = model.hold("phases");
    stack.release();
    await phases.reached;
    await expect(page).toHaveTitle(/^7 of 9 written/);
    phases.release();
    await expect(page).toHaveTitle(/^Contracts — Garden diary/);
  });

  test("cancelled generation keeps its contracts and continues from there", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { title, cancel, resume, row, nine } = generation(page);
    const stack = model.hold("stack");
    await project.generate();
    await stack.reached;
    await page.goto(project.page);
    await cancel.click();
    await expect(title("Generation cancelled")).toBeVisible();
    await expect(page.getByText(/^2 of 9 contracts were generated and kept\./)).toBeVisible();
    await expect(row("Blueprint")).toContainText("v1 · generated");
    await expect(row("Stack")).toContainText("Not written yet");
    await inspect(page, "generation-cancelled");

    stack.release();
    await resume.click();
    await expect(title("9 contracts generated")).toBeVisible();
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    expect(await project.runs()).toHaveLength(1);
  });

  test("second start is rejected and the page shows the first", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { title, write } = generation(page);
    const manifesto = model.hold("manifesto");
    await page.goto(project.review);
    await expect(write).toBeEnabled();
    await project.generate();
    await manifesto.reached;
    await write.click();
    await follow(
      page.getByRole("link", { name: "Show progress" }),
      title("Generating Manifesto, 1 of 9"),
    );
    expect(await project.runs()).toHaveLength(1);
    manifesto.release();
    await expect(title("9 contracts generated")).toBeVisible();
  });

  test("provider error stops the generation, which continues once it is resolved", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { panel, title, resume, row } = generation(page);
    const physics = model.hold("physics");
    await project.generate();
    await physics.reached;
    model.refuse(true);
    model.stumble("physics");
    physics.release();
    await page.goto(project.page);
    await expect(title("Stopped at Physics")).toBeVisible();
    await expect(panel).toContainText("OPENAI_API_KEY");
    await expect(panel).toContainText("4 of 9 contracts were generated and kept.");
    await expect(row("Physics")).toContainText("Failed");
    await panel.getByText("1 text rejected and rewritten").click();
    await inspect(page, "generation-failed");
    model.refuse(false);
    await resume.click();
    await expect(title("9 contracts generated")).toBeVisible();
  });

  test("one contract or all that follow are regenerated, and the history keeps old versions", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { title, again, row } = generation(page);
    await project.generate();
    await page.goto(project.page);
    await expect(title("9 contracts generated")).toBeVisible();

    await page.goto(`${project.page}/ui`);
    await again.click();
    await page.getByRole("menuitem", { name: "Only this contract" }).click();
    const dialog = page.getByRole("dialog", { name: "Regenerate UI?" });
    await expect(dialog).toContainText("The current version stays in the history");
    const ui = model.hold("ui");
    await dialog.getByRole("button", { name: "Regenerate" }).click();
    await ui.reached;
    await expect(page.getByText(/^Generating: /)).toBeVisible();
    await expect(again).toBeDisabled();
    await inspect(page, "generation-again");
    ui.release();
    await expect(page.getByText("v2 · generated")).toBeVisible();
    expect((await project.read("phases")).version).toBe(1);

    await again.click();
    await page.getByRole("menuitem", { name: "This and the 2 after it" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Regenerate" }).click();
    await expect(title("3 contracts generated")).toBeVisible();
    await expect(row("UI")).toContainText("v3 · generated");
    await expect(row("Phases")).toContainText("v2 · generated");
    await expect(row("Boundaries")).toContainText("v1 · generated");

    await page.getByText("tokens sent during contract generation").click();
    await expect(page.getByText(/^3 contracts: .* full inclusion/)).toBeVisible();
    await page.getByLabel("Generation", { exact: true }).selectOption({ index: 2 });
    await expect(page.getByText(/^9 contracts: /)).toBeVisible();
    await page.getByText("Details").click();
    const numbers = page.getByRole("table", { name: "Token usage by contract" });
    await expect(numbers.getByRole("row", { name: /^Manifesto 2 / })).toBeVisible();
    await inspect(page, "generation-tokens");
  });
});

test("drafts are generated without a model and labelled as drafts", async ({
  adminPage: page,
  api,
}) => {
  const project = await answeredProject(api);
  const { panel, title, write, nine } = generation(page);
  await page.goto(project.review);
  await write.click();
  await expect(page).toHaveURL(/\/contracts$/);
  await expect(page.getByRole("heading", { name: "Contracts", level: 1 })).toBeInViewport();
  await expect(title("9 contracts generated")).toBeVisible();
  await expect(panel.getByText(/^Offline draft/)).toBeVisible();
  await expect(nine.getByText("v1 · offline draft")).toHaveCount(9);
  await expect(page.getByText("Draft: review before building")).toBeVisible();
  await expect(nine.getByText(/^\d+ gaps?$/)).toHaveCount(9);
  await inspect(page, "generation-drafts");
  await follow(
    nine.getByRole("link", { name: /Manifesto/ }),
    page.getByRole("tabpanel", { name: "Document" }).getByRole("heading", { name: "Manifesto" }),
  );
  await expect(page.getByText("v1 · offline draft")).toBeVisible();
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByText(/^offline draft,/)).toBeVisible();
});

test("open required questions are listed with links", async ({ adminPage: page, api }) => {
  const project = await newProject(api);
  const { panel, write } = generation(page);
  await page.goto(`/projects/${project.id}`);
  const progress = page.getByRole("navigation", { name: "Progress" });
  await expect(page.getByRole("button", { name: "Start build" })).toHaveCount(0);
  await follow(
    progress.getByRole("link", { name: "Contracts" }),
    panel.getByText(/8 required answers are missing/),
  );
  await expect(write).toHaveCount(0);
  await inspect(page, "generation-unanswered");
  await follow(
    panel.getByRole("link", { name: "Which programming language?" }),
    page.getByRole("radiogroup", { name: "Which programming language?" }),
  );
  await expect(page).toHaveURL(/\/questionnaire\/tech_stack#language$/);
});
