// Questions of builds: the list, concurrent and late answers, and notes for contracts.
import type { Page } from "@playwright/test";
import type { Api } from "../support/api";
import { contract, demoContracts } from "../support/contracts";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

const QUESTION = "How long may a friend keep a book before it is due back?";

function questions(page: Page) {
  const list = page.getByRole("list", { name: "Open questions" });
  const card = list.getByRole("region", { name: QUESTION });
  return {
    inbox: page.getByRole("banner").getByRole("link", { name: /^Inbox/ }),
    card,
    own: card.getByRole("textbox", { name: `Answer to: ${QUESTION}` }),
    send: card.getByRole("button", { name: "Answer", exact: true }),
    hint: card.getByRole("textbox", { name: `Hint for: ${QUESTION}` }),
    choice: (name: string) => card.getByRole("button", { name, exact: true }),
    empty: page.getByRole("heading", { name: "No open questions" }),
  };
}

/** Ten seconds is the minimum timeout. */
async function hurry(api: Api): Promise<void> {
  const path = `/api/projects/${await api.demo()}/settings`;
  const settings = await api.get<object>(path);
  await api.put(path, { ...settings, clarification_timeout_s: 10 });
}

async function asked(api: Api) {
  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  return started;
}

test.describe.configure({ timeout: 400_000 });

test("open questions are listed on one page, linked from every page, and answered there", async ({
  adminPage: page,
  api,
}) => {
  const all = questions(page);
  await page.goto("/questions");
  await expect(all.empty).toBeVisible();
  await inspect(page, "questions-empty");
  const started = await asked(api);
  // An open page is updated.
  await expect(all.card).toBeVisible();
  await page.goto("/account");
  await follow(all.inbox, page.getByRole("heading", { name: "Inbox", level: 1 }));
  await follow(
    page.getByRole("link", { name: "Answer questions" }),
    page.getByRole("heading", { name: "Questions", level: 1 }),
  );
  await expect(page).toHaveURL(/\/questions$/);
  await expect(page.getByRole("link", { name: /^#1\b/ })).toHaveAttribute(
    "href",
    "/projects/shelf/builds/1",
  );
  await expect(all.choice("Let AI decide")).toBeEnabled();

  await all.own.fill("Nineteen days");
  await all.send.click();
  await expect(all.card).toContainText("You answered: “Nineteen days”");
  await expect(all.inbox).toHaveText("Inbox");
  const { items } = await api.get<{ items: { answer: string }[] }>(
    `/api/builds/${started.build}/clarifications`,
  );
  expect(items.map(({ answer }) => answer)).toEqual(["Nineteen days"]);
  await all.card.getByRole("button", { name: "Dismiss question" }).click();
  await expect(all.empty).toBeVisible();
});

test("answer in one window is shown in others, which keep their text", async ({
  adminPage: page,
  api,
  context,
}) => {
  const started = await asked(api);
  const [inBuild, onList] = [await context.newPage(), await context.newPage()];
  await inBuild.goto(buildPath(started));
  await onList.goto("/questions");
  await ide(inBuild).line.fill("A fortnight, or");
  await questions(onList).own.fill("Ten days");

  await page.goto("/questions");
  await questions(page).choice("Two weeks").click();
  await expect(questions(page).card).toContainText("You answered: “Two weeks”");
  const told = "admin answered: “Two weeks”";
  await expect(questions(onList).card).toContainText(told);
  await expect(questions(onList).card).toContainText("Your answer was not sent: “Ten days”");
  const foot = ide(inBuild).screen.getByRole("region", { name: QUESTION });
  await expect(foot).toContainText(told);
  await expect(ide(inBuild).line).toHaveValue("A fortnight, or");
});

test("slower of two answers is rejected and keeps its text", async ({ adminPage: page, api }) => {
  const started = await asked(api);
  await page.goto("/questions");
  const all = questions(page);
  await all.own.fill("Ten days");
  // This window sends its answer before it receives the other one.
  await page.route("**/clarify", async (route) => {
    await api.answer(started.build, "Two weeks");
    await route.continue();
  });
  await all.send.click();
  await expect(page.getByText(/answered first: “Two weeks”/)).toBeVisible();
  await expect(all.card).toContainText("Your answer was not sent: “Ten days”");
});

test("slower answer on the build screen keeps its text", async ({ adminPage: page, api }) => {
  const started = await asked(api);
  await page.goto(buildPath(started));
  const build = ide(page);
  await expect(build.answers).toBeVisible();
  await page.route("**/clarify", async (route) => {
    await api.answer(started.build, "Two weeks");
    await route.continue();
  });
  await build.line.fill("Ten days");
  await press(build.line, "Enter");
  await expect(page.getByText(/answered first: “Two weeks”/)).toBeVisible();
  await expect(build.line).toHaveValue("Ten days");
});

test.describe("after the question expired", () => {
  // The build must still be running when its question has expired.
  test.use({ pace: 250 });

  test("late answer on the build screen becomes a hint", async ({ adminPage: page, api }) => {
    await hurry(api);
    const started = await asked(api);
    await page.goto(buildPath(started));
    const build = ide(page);
    await expect(build.answers).toBeVisible();
    await build.line.fill("Ten days");
    const late = build.screen.getByRole("region", { name: QUESTION });
    await expect(late).toContainText("Expired: the agent decided", { timeout: 30_000 });
    await expect(late).toContainText("Without an answer, I choose three weeks");
    // Prevents the build from finishing.
    await api.post(`/api/builds/${started.build}/pause`);
    await inspect(page, "build-question-late");
    await expect(build.line).toHaveValue("Ten days");
    await press(build.line, "Enter");
    await expect(late).toBeHidden();
    const events = (await api.events(started.build)) as { type: string; payload?: unknown }[];
    const hints = events.filter(({ type }) => type === "build_interjected");
    expect(hints.map(({ payload }) => (payload as { text: string }).text)).toEqual([
      `To your question “${QUESTION}”, the late answer: Ten days`,
    ]);
    await page.reload();
    await expect(build.log).toBeVisible();
    await expect(late).toBeHidden();
  });

  test("late answer on the questions page becomes a hint", async ({ adminPage: page, api }) => {
    await hurry(api);
    const started = await asked(api);
    await page.goto("/questions");
    const all = questions(page);
    await all.own.fill("Ten days");
    await expect(all.card).toContainText("Expired: the agent decided", { timeout: 30_000 });
    await expect(all.hint).toHaveValue("Ten days");
    await api.post(`/api/builds/${started.build}/pause`);
    await inspect(page, "questions-late");
    await all.card.getByRole("button", { name: "Send as a hint" }).click();
    await expect(all.empty).toBeVisible();
    const types = (await api.events(started.build)).map(({ type }) => type);
    expect(types.filter((type) => type === "build_interjected")).toHaveLength(1);
  });
});

test("build keeps its questions, and an answer is inserted into its contract", async ({
  adminPage: page,
  api,
}) => {
  const started = await asked(api);
  await api.answer(started.build, "Two weeks");
  await page.goto(buildPath(started));
  const build = ide(page);
  const side = build.screen.getByRole("complementary", { name: "Build details" });
  await expect(side).toContainText("admin answered");
  await expect(side).toContainText("“Two weeks”");
  await follow(
    side.getByRole("link", { name: /^Coder asked/ }),
    build.log.locator("[aria-current=location]"),
  );
  await expect(page).toHaveURL(/#\d+$/);
  await expect(build.log.getByText(QUESTION)).toBeInViewport();

  const { items } = await api.get<{ items: { clarification: { contract: string } }[] }>(
    `/api/projects/${started.project}/answers`,
  );
  const type = items[0]?.clarification.contract ?? "manifesto";
  const { page: contracts, read } = await demoContracts(api);
  const before = await read(type);
  const offer = page.getByRole("region", { name: "Answers from builds" });
  await page.goto(`${contracts}/${type}`);
  await expect(offer).toContainText("“Two weeks”");
  await expect(offer.getByRole("button")).toHaveCount(0);
  await follow(page.getByRole("link", { name: "Edit" }), contract(page).editor);
  await inspect(page, "contract-answers");
  await offer.getByRole("button", { name: /^Insert/ }).click();
  await expect(contract(page).editor).toContainText(QUESTION);
  await expect(offer.getByRole("button", { name: /^Inserted/ })).toBeDisabled();
  await expect(page.getByText("Unsaved changes are kept in this browser.")).toBeVisible();
  expect((await read(type)).version).toBe(before.version);
});
