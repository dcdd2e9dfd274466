// The nine contracts are written: live, stopped and gone on with, in several windows, with a model and without.
import { expect, test } from "../support/fixtures";
import { answeredProject, generation } from "../support/generation";
import { newProject } from "../support/questionnaire";
import { inspect } from "../support/screen";

test.describe("with a model", () => {
  test.use({ hasModel: true });

  test("each contract appears as soon as it is written, in every window", async ({
    adminPage: page,
    api,
    context,
    model,
  }) => {
    const project = await answeredProject(api);
    const { panel, row, title, write, nine } = generation(page);
    await page.goto(project.page);
    await expect(title("The nine contracts are not written yet")).toBeVisible();
    await inspect(page, "generation-offer");
    const schema = model.hold("schema");
    await write.click();
    await expect(panel).toBeFocused();
    await schema.reached;
    await expect(title("Writing Schema, 4 of 9")).toBeVisible();
    await expect(panel.getByText("Reads what should be built…")).toBeVisible();
    await expect(panel.getByText("1 of at most 10")).toBeVisible();
    await expect(panel.getByRole("progressbar")).toHaveAttribute("aria-valuetext", "3 of 9");
    await expect(page).toHaveTitle(/^3 of 9 written — Contracts — Garden diary/);
    await expect(row("Stack")).toContainText("Written");
    await expect(row("Stack")).toContainText("v1 · generated");
    await expect(row("Schema")).toContainText("Being written");
    await expect(row("Physics")).toContainText("Waiting");
    await inspect(page, "generation-progress");

    const other = await context.newPage();
    await other.goto(project.page);
    await expect(generation(other).title("Writing Schema, 4 of 9")).toBeVisible();
    await other.goto(`${project.page}/schema`);
    await expect(other.getByText("Being written now")).toBeVisible();
    await expect(other.getByText("not written yet: example")).toBeVisible();

    schema.release();
    await expect(title("9 contracts are written")).toBeVisible();
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    await expect(nine.getByText("Written", { exact: true })).toHaveCount(0);
    await expect(other.getByRole("heading", { name: "gardener" })).toBeVisible();
    await expect(other.getByText("Being written now")).toBeHidden();
    await other.getByRole("tab", { name: "Diagram" }).click();
    await other.getByRole("button", { name: /may lead to gardener$/ }).click();
    await expect(other.getByRole("region", { name: "gardener" })).toBeFocused();
    await inspect(other, "contract-diagram");
  });

  test("a page that is loaded again in the middle, or loses its server, goes on", async ({
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
    await expect(title("Writing Blueprint, 2 of 9")).toBeVisible();
    await page.reload();
    await expect(title("Writing Blueprint, 2 of 9")).toBeVisible();

    await page.evaluate(() => Object.assign(window, { sameLoad: true }));
    await server.kill();
    await expect(reconnecting).toBeVisible();
    blueprint.release();
    await server.startAgain();
    await expect(reconnecting).toBeHidden();
    await expect(title("9 contracts are written")).toBeVisible({ timeout: 60_000 });
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    expect(await page.evaluate(() => "sameLoad" in window)).toBe(true);
  });

  test("a tab that nobody looks at gives its connection back and still knows how far it is", async ({
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

  test("what was written before it is cancelled stays, and it goes on from there", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { title, cancel, goOn, row, nine } = generation(page);
    const stack = model.hold("stack");
    await project.generate();
    await stack.reached;
    await page.goto(project.page);
    await cancel.click();
    await expect(title("Writing was cancelled")).toBeVisible();
    await expect(page.getByText(/^2 of 9 contracts are written and kept\./)).toBeVisible();
    await expect(row("Blueprint")).toContainText("v1 · generated");
    await expect(row("Stack")).toContainText("not written yet");
    await inspect(page, "generation-cancelled");

    stack.release();
    await goOn.click();
    await expect(title("9 contracts are written")).toBeVisible();
    await expect(nine.getByText("v1 · generated")).toHaveCount(9);
    expect(await project.runs()).toHaveLength(1);
  });

  test("a second start is refused in plain words, and the page shows the first", async ({
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
    await expect(
      page.getByRole("link", { name: "Watch the contracts being written" }),
    ).toBeVisible();
    await page.getByRole("link", { name: "Watch the contracts being written" }).click();
    await expect(title("Writing Manifesto, 1 of 9")).toBeVisible();
    expect(await project.runs()).toHaveLength(1);
    manifesto.release();
    await expect(title("9 contracts are written")).toBeVisible();
  });

  test("a provider that refuses stops it, says why, and it goes on when that is settled", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { panel, title, goOn, row } = generation(page);
    const physics = model.hold("physics");
    await project.generate();
    await physics.reached;
    model.refuse(true);
    model.stumble("physics");
    physics.release();
    await page.goto(project.page);
    await expect(title("Stopped at Physics")).toBeVisible();
    await expect(panel).toContainText("OPENAI_API_KEY");
    await expect(panel).toContainText("4 of 9 contracts are written and kept.");
    await expect(row("Physics")).toContainText("Failed");
    await panel.getByText("1 text did not fit and went back to be written again").click();
    await inspect(page, "generation-failed");
    model.refuse(false);
    await goOn.click();
    await expect(title("9 contracts are written")).toBeVisible();
  });

  test("one contract is written again, or all that follow, and the history keeps what was", async ({
    adminPage: page,
    api,
    model,
  }) => {
    const project = await answeredProject(api);
    const { title, again, row } = generation(page);
    await project.generate();
    await page.goto(project.page);
    await expect(title("9 contracts are written")).toBeVisible();

    await page.goto(`${project.page}/ui`);
    await again.click();
    await page.getByRole("menuitem", { name: "Only this one" }).click();
    const dialog = page.getByRole("dialog", { name: "Write UI again?" });
    await expect(dialog).toContainText("The current version stays in the history");
    const ui = model.hold("ui");
    await dialog.getByRole("button", { name: "Write again" }).click();
    await ui.reached;
    await expect(page.getByText("Being written now")).toBeVisible();
    await expect(again).toBeDisabled();
    await inspect(page, "generation-again");
    ui.release();
    await expect(page.getByText("v2 · generated")).toBeVisible();
    expect((await project.read("phases")).version).toBe(1);

    await again.click();
    await page.getByRole("menuitem", { name: "This and the 2 after it" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Write again" }).click();
    await expect(title("3 contracts are written")).toBeVisible();
    await expect(row("UI")).toContainText("v3 · generated");
    await expect(row("Phases")).toContainText("v2 · generated");
    await expect(row("Boundaries")).toContainText("v1 · generated");

    await page.getByText("what writing the contracts sent to a model").click();
    await expect(page.getByText(/^3 contracts: .* pasting everything/)).toBeVisible();
    await page.getByLabel("Run", { exact: true }).selectOption({ index: 2 });
    await expect(page.getByText(/^9 contracts: /)).toBeVisible();
    await page.getByText("All numbers").click();
    const numbers = page.getByRole("table", { name: "All numbers of this run" });
    await expect(numbers.getByRole("row", { name: /^Manifesto 2 / })).toBeVisible();
    await inspect(page, "generation-tokens");
  });
});

test("drafts are made from the answers without a model, and called so", async ({
  adminPage: page,
  api,
}) => {
  const project = await answeredProject(api);
  const { panel, title, write, nine } = generation(page);
  await page.goto(project.review);
  await write.click();
  await expect(page).toHaveURL(/\/contracts$/);
  await expect(page.getByRole("heading", { name: "Contracts", level: 1 })).toBeInViewport();
  await expect(title("9 contracts are written")).toBeVisible();
  await expect(panel.getByText(/^Offline draft/)).toBeVisible();
  await expect(nine.getByText("v1 · offline draft")).toHaveCount(9);
  await inspect(page, "generation-drafts");
  await nine.getByRole("link", { name: /Manifesto/ }).click();
  await expect(page.getByText("v1 · offline draft")).toBeVisible();
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByText(/^offline draft,/)).toBeVisible();
});

test("what must be answered first is named, and leads to its question", async ({
  adminPage: page,
  api,
}) => {
  const project = await newProject(api);
  const { panel, write } = generation(page);
  await page.goto(`/projects/${project.id}`);
  const first = page.getByRole("region", { name: "Write the contracts first" });
  await expect(page.getByRole("button", { name: "Start build" })).toHaveCount(0);
  await first.getByRole("link", { name: "Go to the contracts" }).click();
  await expect(panel.getByText(/8 answers are needed first/)).toBeVisible();
  await expect(write).toHaveCount(0);
  await inspect(page, "generation-unanswered");
  await panel.getByRole("link", { name: "Which programming language?" }).click();
  await expect(page).toHaveURL(/\/questionnaire\/tech_stack#language$/);
});
