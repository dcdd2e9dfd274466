// A sealed build is reviewed by a second administrator; its owner reads and answers.
import type { Page } from "@playwright/test";
import { Api } from "../support/api";
import { expect, signIn, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { inspect } from "../support/screen";

const GRACE = { email: "grace@example.org", password: "a password of hers" };

test.describe.configure({ timeout: 400_000 });

/** The diff's button for a line, as somebody with a keyboard or a screen reader finds it. */
const commentOn = (page: Page, line: number) =>
  page.getByRole("button", { name: `Comment on line ${line}`, exact: true });

test("a sealed build is commented on, verified and decided about by somebody else", async ({
  adminPage: owner,
  api,
  browser,
  server,
}) => {
  await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
  const started = await api.startDemo();
  await api.answer(started.build, "Two weeks");
  await api.reaches(started.build, "sealed");
  const page = await (await browser.newContext({ baseURL: server.address })).newPage();
  await signIn(page, server, GRACE);

  await test.step("the queue has it, and the header counts it", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "Reviews 1 open" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Reviews" })).toBeVisible();
    await expect(page.getByRole("list", { name: "Sealed builds" })).toContainText("Certified");
    await inspect(page, "reviews");
    await page.getByRole("link", { name: /Shelf.*started by admin/ }).click();
    await expect(page).toHaveURL(`/reviews/${started.build}`);
  });

  await test.step("its record is verified", async () => {
    await page.getByRole("button", { name: "Verify now" }).click();
    await expect(page.getByText(/^The chain of [\d,]+ events is intact\.$/)).toBeVisible();
  });

  await test.step("a line is commented on", async () => {
    await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
    const diff = page.getByRole("region", { name: "Changes of src/due.js" });
    await expect(diff.getByText("export function dueDate")).toBeVisible();
    await commentOn(page, 2).focus();
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "Comment on line 2" });
    await field.fill("What about leap days?");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const thread = page.getByRole("region", { name: "Comments on src/due.js, line 2" });
    await expect(thread).toContainText("What about leap days?");
    await inspect(page, "review");
  });

  await test.step("changes are requested, with a reason", async () => {
    await page.getByRole("button", { name: "Request changes" }).click();
    await expect(page.getByText("Say why, in a sentence or two")).toBeVisible();
    await page.getByLabel("Why").fill("The dates need a test.");
    await page.getByRole("button", { name: "Request changes" }).click();
    const decisions = page.getByRole("list", { name: "Decisions, newest first" });
    await expect(decisions).toContainText("The dates need a test.");
    await expect(page.getByRole("banner").getByRole("link", { name: /^Reviews/ })).toHaveText(
      "Reviews",
    );
  });

  await test.step("the owner reads it beside the build, and answers", async () => {
    await owner.goto(buildPath(started));
    const review = ide(owner).dialog.getByRole("region", { name: "Review" });
    await expect(review).toContainText("Grace asks for changes before this is used.");
    await expect(review).toContainText("1 thread is open.");
    await review.getByRole("button", { name: "What was said" }).click();
    await inspect(owner, "build-review");
    const answer = review.getByRole("textbox", { name: "Answer on src/due.js, line 2" });
    await answer.fill("They are covered.");
    await review.getByRole("button", { name: "Answer" }).click();
    await expect(review.getByText("They are covered.")).toBeVisible();
    await expect(answer).toHaveValue("");
  });

  await test.step("whoever started it is told why they cannot approve it", async () => {
    await owner.goto(`/reviews/${started.build}`);
    await expect(owner.getByRole("button", { name: "Approve" })).toBeDisabled();
    await expect(owner.getByText(/You started this build/)).toBeVisible();
    await expect(owner.getByRole("button", { name: "Request changes" })).toBeEnabled();
  });

  await test.step("of two who decide at once, the later is told", async () => {
    const before = owner.getByRole("list", { name: "Decisions, newest first" });
    await expect(before.getByRole("listitem")).toHaveCount(1);
    await page.reload();
    await page.getByLabel("Why").fill("Now I see.");
    await owner.getByLabel("Why").fill("I want to add something.");
    await page.getByRole("button", { name: "Approve" }).click();
    await expect(
      page.getByRole("list", { name: "Decisions, newest first" }).getByRole("listitem"),
    ).toHaveCount(2);
    await owner.getByRole("button", { name: "Request changes" }).click();
    const told = owner.getByText(/Grace has approved this build meanwhile.*Now I see\./);
    await expect(told).toBeVisible();
    await expect(before.getByRole("listitem")).toHaveCount(2);
    await expect(owner.getByLabel("Why")).toHaveValue("I want to add something.");
    await inspect(owner, "review-conflict");
  });

  await test.step("the thread is settled and folds", async () => {
    await page.reload();
    await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
    const thread = page.getByRole("region", { name: "Comments on src/due.js, line 2" });
    await expect(thread).toContainText("They are covered.");
    await thread.getByRole("button", { name: "Settle" }).click();
    await expect(thread.getByRole("button", { name: "Settled · 2 comments" })).toBeVisible();
  });

  await test.step("the audit log has all of it", async () => {
    await page.getByRole("button", { name: /^Menu of/ }).click();
    await page.getByRole("menuitem", { name: "Audit log" }).click();
    const log = page.getByRole("table", { name: "Audit log" });
    await expect(log.getByRole("row")).toHaveCount(8);
    await expect(log).toContainText("Now I see.");
    await inspect(page, "audit-log");
    await page.getByRole("combobox", { name: "What was done" }).click();
    await page.getByRole("option", { name: "Review decided" }).click();
    await expect(log.getByRole("row")).toHaveCount(3);
    await page.getByRole("combobox", { name: "What was done" }).click();
    await page.getByRole("option", { name: "Password changed" }).click();
    await expect(page.getByText("No such entry")).toBeVisible();
  });
  await page.context().close();
});

test("reviews are for administrators, and empty before anything is sealed", async ({
  adminPage: admin,
  api,
  browser,
  server,
}) => {
  await admin.goto("/reviews");
  await expect(admin.getByText("Nothing waits for a review")).toBeVisible();
  await inspect(admin, "reviews-empty");

  const person = { email: "user@example.org", password: "a password of mine" };
  await api.post("/api/users", { ...person, name: "User", role: "user" });
  const page = await (await browser.newContext({ baseURL: server.address })).newPage();
  await signIn(page, server, person);
  await page.goto("/");
  await expect(page.getByText("Nothing here yet")).toBeVisible();
  await expect(page.getByRole("link", { name: /^Reviews/ })).toHaveCount(0);
  await page.goto("/reviews");
  await expect(page.getByText("Only administrators may do this.")).toBeVisible();
  await page.context().close();
});

const PHASES =
  "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n**Exit criteria:**\n- it greets\n";

test.describe("a follow-up", () => {
  test.use({ hasModel: true });

  test("carries out what was requested, and shows where the lines are now", async ({
    adminPage: owner,
    api,
    browser,
    server,
  }) => {
    await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
    const { id: project } = await api.post<{ id: string }>("/api/projects", {
      name: "Letters",
      description: "",
    });
    await api.put(`/api/projects/${project}/contracts/phases`, { content: PHASES });
    const { id: first } = await api.post<{ id: string }>(`/api/projects/${project}/builds`);
    await api.reaches(first, "sealed");
    const grace = await Api.signIn(server.address, GRACE);
    for (const [number, text] of [
      [1, "Be more polite"],
      [2, "Keep this"],
    ] as const) {
      const line = { path: "greeting.txt", side: "new", number };
      await grace.post(`/api/reviews/${first}/comments`, { text, line });
    }
    const decision = { decision: "changes_requested", reason: "Greet the reader.", seen: null };
    await grace.post(`/api/reviews/${first}/decision`, decision);

    await owner.goto(buildPath({ project, build: first }));
    const review = ide(owner).dialog.getByRole("region", { name: "Review" });
    await expect(review).toContainText("If you start it, somebody else has to approve it.");
    await inspect(owner, "follow-up-offered");
    await review.getByRole("button", { name: "Start a follow-up build" }).click();
    await expect(owner).not.toHaveURL(new RegExp(first));
    await expect(owner.getByRole("link", { name: "the build before" })).toBeVisible();
    const { items } = await api.get<{ items: { id: string; follows: string | null }[] }>(
      `/api/projects/${project}/builds`,
    );
    const second = items.find(({ follows }) => follows === first)?.id ?? "";
    await api.reaches(second, "sealed");
    await owner.getByRole("link", { name: "the build before" }).click();
    await expect(owner).toHaveURL(new RegExp(first));
    await expect(review.getByRole("link", { name: "Open the follow-up" })).toBeVisible();

    const page = await (await browser.newContext({ baseURL: server.address })).newPage();
    await signIn(page, server, GRACE);
    await page.goto(`/reviews/${second}`);
    await expect(page.getByText("Greet the reader.")).toBeVisible();
    const gone = page.getByRole("region", { name: "Comments on greeting.txt, line 1" });
    await expect(gone).toContainText("this line is gone; it was:Hello");
    await expect(gone).toContainText("Be more polite");
    const moved = page.getByRole("region", { name: "Comments on greeting.txt, line 2" });
    await expect(moved).toContainText("now line 3");
    await inspect(page, "review-of-follow-up");
    await page.getByRole("link", { name: "Open the review before" }).click();
    await expect(page.getByRole("link", { name: "Review the follow-up" })).toBeVisible();
    await page.context().close();
  });
});
