// Reviews of sealed builds by a second administrator.
import type { Page } from "@playwright/test";
import { Api } from "../support/api";
import { expect, signIn, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";
import { follow, title } from "../support/navigation";
import { expectAccessible, inspect } from "../support/screen";

const GRACE = { email: "grace@example.org", password: "a password of hers" };

test.describe.configure({ timeout: 400_000 });

/** Opens the form that decides about the build. */
const finishReview = (page: Page) => page.getByRole("button", { name: "Finish review" }).click();

test.describe("without a cooldown for new administrators", () => {
  testWithSealedDemo.use({ settings: { FORGEGUARD_APPROVER_COOLDOWN: "0" } });

  testWithSealedDemo(
    "sealed build is commented on, verified and decided by another administrator",
    async ({ adminPage: owner, api, browser, sealedDemo: started, server }) => {
      await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
      const page = await (await browser.newContext({ baseURL: server.address })).newPage();
      await signIn(page, server, GRACE);

      await test.step("build is in the inbox and in the queue", async () => {
        await page.goto("/");
        const inbox = page.getByRole("banner").getByRole("link", { name: "Inbox 1 unread" });
        await follow(inbox, title(page, "Inbox"));
        const item = page.getByRole("link", { name: /Waiting for your review.*Shelf #1/ });
        await expect(item).toHaveAttribute("href", `/reviews/${started.build}`);
        await page.keyboard.press("g");
        await page.keyboard.press("r");
        await expect(title(page, "Reviews")).toBeVisible();
        await expect(page.getByRole("list", { name: "Sealed builds" })).toContainText("Certified");
        await inspect(page, "reviews");
        await follow(
          page.getByRole("link", { name: /Shelf.*started by admin/ }),
          page.getByRole("button", { name: "Verify" }),
        );
        await expect(page).toHaveURL(`/reviews/${started.build}`);
      });

      await test.step("audit trail is verified", async () => {
        await page.getByRole("button", { name: "Verify" }).click();
        await expect(page.getByText(/^The chain of [\d,]+ events is intact\.$/)).toBeVisible();
      });

      await test.step("gates are run again on the sealed commit", async () => {
        await page.getByRole("button", { name: "Gates after the seal" }).click();
        await page.getByRole("button", { name: "Re-run gates" }).click();
        await expect(page.getByText("All results are the same as before the seal.")).toBeVisible({
          timeout: 120_000,
        });
        await page.getByRole("button", { name: /^Gate .* passed, as before the seal$/ }).click();
        await inspect(page, "gate-rerun");
      });

      await test.step("buttons of lines are apart from others", async () => {
        await page.getByRole("treeitem", { name: /^src\/cli\.js, modified/ }).click();
        const diff = page.getByRole("region", { name: "Changes in src/cli.js" });
        await diff.getByText("write down who has it").hover();
        await expectAccessible(page, "line after a gap, below the pointer");
      });

      await test.step("a line is commented on", async () => {
        await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
        const diff = page.getByRole("region", { name: "Changes in src/due.js" });
        await expect(diff.getByText("export function dueDate")).toBeVisible();
        await press(diff.getByRole("button", { name: "Comment on line 2", exact: true }), "Enter");
        const field = diff.getByRole("textbox", { name: "Comment on line 2" });
        await field.fill("What about **leap** days?");
        await page.reload();
        await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
        await expect(field, "a draft is kept").toHaveValue("What about **leap** days?");
        await diff.getByRole("button", { name: "Comment", exact: true }).click();
        const thread = page.getByRole("region", { name: "Comments on src/due.js, line 2" });
        await expect(thread).toContainText("What about leap days?");
        await expect(thread.locator("strong")).toHaveText("leap");
        await inspect(page, "review");
      });

      await test.step("an edit of several lines is suggested", async () => {
        const diff = page.getByRole("region", { name: "Changes in src/due.js" });
        await press(diff.getByRole("button", { name: "Comment on line 4", exact: true }), "Enter");
        await diff.getByLabel("First line").selectOption("3");
        const field = diff.getByRole("textbox", { name: "Comment on lines 3 to 4" });
        await diff.getByRole("button", { name: "Suggest edit" }).click();
        await expect(field).toHaveValue(/^```suggestion\n.+\n.*\n```\n$/);
        await inspect(page, "review-several-lines");
        await diff.getByRole("button", { name: "Comment", exact: true }).click();
        const thread = page.getByRole("region", { name: "Comments on src/due.js, lines 3 to 4" });
        const edit = thread.getByRole("region", { name: "Suggested edit" });
        await expect(edit.getByRole("deletion")).toHaveCount(2);
        await expect(edit.getByRole("insertion")).toHaveCount(2);
        await thread.getByRole("button", { name: "Resolve" }).click();
        await expect(thread.getByRole("button", { name: "Resolved · 1 comment" })).toBeVisible();
      });

      await test.step("viewed files are counted, collapsed and remembered", async () => {
        const viewed = page.getByRole("checkbox", { name: "Viewed src/due.js" });
        // The change is shown before it is saved.
        const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
        await viewed.click();
        await expect(viewed).toBeChecked();
        await saved;
        await expect(page.getByText(/^1 of \d+ viewed$/)).toBeVisible();
        await expect(page.getByRole("button", { name: "Expand src/due.js" })).toBeVisible();
        await page.reload();
        await expect(page.getByText(/^1 of \d+ viewed$/)).toBeVisible();
        await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
        await viewed.click();
        await expect(viewed).not.toBeChecked();
      });

      await test.step("changes are requested with a comment", async () => {
        await finishReview(page);
        await page.getByRole("button", { name: "Request changes" }).click();
        await expect(page.getByText("Explain which changes are needed")).toBeVisible();
        await inspect(page, "review-decision");
        await page.getByLabel("Comment", { exact: true }).fill("The dates need a test.");
        await page.getByRole("button", { name: "Request changes" }).click();
        const decisions = page.getByRole("list", { name: "Decisions, newest first" });
        await expect(decisions).toContainText("The dates need a test.");
        const inbox = page.getByRole("banner").getByRole("link", { name: /^Inbox/ });
        await expect(inbox).toHaveText("Inbox");
      });

      await test.step("owner reads the review and replies", async () => {
        await owner.goto(buildPath(started));
        const review = ide(owner).screen.getByRole("region", { name: "Review" });
        await expect(review).toContainText("Grace requested changes.");
        await expect(review).toContainText("1 thread is open.");
        await review.getByRole("button", { name: "Comments" }).click();
        await inspect(owner, "build-review");
        const answer = review.getByRole("textbox", { name: "Reply on src/due.js, line 2" });
        await answer.fill("They are covered.");
        await review.getByRole("button", { name: "Reply" }).click();
        await expect(review.getByText("They are covered.")).toBeVisible();
        await expect(answer).toHaveValue("");
        await review.getByRole("button", { name: "Comments" }).click();
        await ide(owner).changes.click();
        await owner.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
        const diff = owner.getByRole("region", { name: "Changes in src/due.js" });
        await expect(diff.getByText("They are covered.")).toBeVisible();
        await follow(
          diff.getByRole("link", { name: "View file src/due.js" }),
          owner.getByRole("region", { name: "Content of src/due.js" }),
        );
        await inspect(owner, "build-files");
      });

      await test.step("owner is told why they cannot approve", async () => {
        await owner.goto(`/reviews/${started.build}`);
        await finishReview(owner);
        await expect(owner.getByRole("button", { name: "Approve" })).toBeDisabled();
        await expect(owner.getByText(/You started this build/)).toBeVisible();
        await expect(owner.getByRole("button", { name: "Request changes" })).toBeEnabled();
      });

      await test.step("later of two concurrent decisions is rejected", async () => {
        const before = owner.getByRole("list", { name: "Decisions, newest first" });
        await expect(before.getByRole("listitem")).toHaveCount(1);
        await page.reload();
        await finishReview(page);
        await page.getByLabel("Comment", { exact: true }).fill("Now I see.");
        await owner.getByLabel("Comment", { exact: true }).fill("I want to add something.");
        await page.getByRole("button", { name: "Approve" }).click();
        await expect(
          page.getByRole("list", { name: "Decisions, newest first" }).getByRole("listitem"),
        ).toHaveCount(2);
        await owner.getByRole("button", { name: "Request changes" }).click();
        const notice = owner.getByText(
          /Grace has approved this build in the meantime.*Now I see\./,
        );
        await expect(notice).toBeVisible();
        await expect(before.getByRole("listitem")).toHaveCount(2);
        await expect(owner.getByLabel("Comment", { exact: true })).toHaveValue(
          "I want to add something.",
        );
        await inspect(owner, "review-conflict");
      });

      await test.step("thread is resolved and collapsed", async () => {
        await page.reload();
        await page.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
        const thread = page.getByRole("region", { name: "Comments on src/due.js, line 2" });
        await expect(thread).toContainText("They are covered.");
        await thread.getByRole("button", { name: "Resolve" }).click();
        await expect(thread.getByRole("button", { name: "Resolved · 2 comments" })).toBeVisible();
      });

      await test.step("audit log contains all of it", async () => {
        await page.getByRole("button", { name: /^Account menu of/ }).click();
        await page.getByRole("menuitem", { name: "Audit log" }).click();
        const log = page.getByRole("table", { name: "Audit log" });
        await expect(log).toContainText("Now I see.");
        await expect(log).toContainText("signed in");
        await inspect(page, "audit-log");
        await page.getByRole("combobox", { name: "Action" }).click();
        await page.getByRole("option", { name: "Review submitted" }).click();
        await expect(log.getByRole("row")).toHaveCount(3);
        await page.getByRole("combobox", { name: "Action" }).click();
        await page.getByRole("option", { name: "Password changed" }).click();
        await expect(page.getByRole("heading", { name: "No entries" })).toBeVisible();
      });
      await page.context().close();
    },
  );
});

test.describe("with two required approvals", () => {
  testWithSealedDemo.use({
    settings: { FORGEGUARD_APPROVER_COOLDOWN: "0", FORGEGUARD_REQUIRED_APPROVALS: "2" },
  });

  testWithSealedDemo(
    "build is approved when the second administrator approves",
    async ({ adminPage: owner, api, browser, sealedDemo: started, server }) => {
      const joan = { email: "joan@example.org", password: "a password of hers" };
      await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
      await api.post("/api/users", { ...joan, name: "Joan", role: "admin" });
      const page = await (await browser.newContext({ baseURL: server.address })).newPage();
      for (const [person, missing] of [
        [GRACE, true],
        [joan, false],
      ] as const) {
        await signIn(page, server, person);
        await page.goto(`/reviews/${started.build}`);
        const before = missing ? "0 of 2 approvals." : "1 of 2 approvals.";
        await expect(page.getByText(before)).toBeVisible();
        await finishReview(page);
        await page.getByRole("button", { name: "Approve" }).click();
        const after = missing ? "1 of 2 approvals." : "2 of 2 approvals.";
        await expect(page.getByText(after)).toBeVisible();
        await finishReview(page);
        await expect(page.getByText("You approved this build already.")).toBeVisible();
        await inspect(page, missing ? "review-half-approved" : "review-approved-by-two");
        await page.goto("/reviews");
        const queue = page.getByRole("list", { name: "Sealed builds" });
        if (missing) await expect(queue).toContainText("1 of 2 approvals");
        else await expect(page.getByText("No builds to review")).toBeVisible();
      }
      await owner.goto(buildPath(started));
      const review = ide(owner).screen.getByRole("region", { name: "Review" });
      await expect(review).toContainText("Approved");
      await page.context().close();
    },
  );
});

testWithSealedDemo(
  "administrator appointed by the author is told when they can approve",
  async ({ api, browser, sealedDemo: started, server }) => {
    await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
    const page = await (await browser.newContext({ baseURL: server.address })).newPage();
    await signIn(page, server, GRACE);
    await page.goto(`/reviews/${started.build}`);
    await finishReview(page);
    await expect(page.getByRole("button", { name: "Approve" })).toBeDisabled();
    await expect(page.getByText(/contributed to this build and gave you access/)).toBeVisible();
    await page.context().close();
  },
);

test("reviews are for administrators, and empty at first", async ({
  adminPage: admin,
  api,
  browser,
  server,
}) => {
  await admin.goto("/reviews");
  await expect(admin.getByText("No builds to review")).toBeVisible();
  await inspect(admin, "reviews-empty");

  const person = { email: "user@example.org", password: "a password of mine" };
  await api.post("/api/users", { ...person, name: "User", role: "user" });
  const page = await (await browser.newContext({ baseURL: server.address })).newPage();
  await signIn(page, server, person);
  await page.goto("/");
  await expect(page.getByText("No projects yet")).toBeVisible();
  await page.goto("/reviews");
  await expect(page.getByRole("heading", { name: "This page does not exist" })).toBeVisible();
  await page.context().close();
});

const PHASES =
  "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n**Exit criteria:**\n- it greets\n";

test.describe("a follow-up", () => {
  test.use({ hasModel: true });

  test("follow-up addresses requested changes and shows where lines moved", async ({
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
    const limited = { budgets: { usd_micros: 2_000_000 } };
    const { id: first } = await api.post<{ id: string }>(
      `/api/projects/${project}/builds`,
      limited,
    );
    await api.reaches(first, "sealed");
    const grace = await Api.signIn(server.address, GRACE);
    for (const [number, text] of [
      [1, "Be more polite\n```suggestion\nGood morning\n```"],
      [2, "Keep this"],
    ] as const) {
      const line = { path: "greeting.txt", side: "new", number };
      await grace.post(`/api/reviews/${first}/comments`, { text, line });
    }
    const decision = { decision: "changes_requested", reason: "Greet the reader.", seen: null };
    await grace.post(`/api/reviews/${first}/decision`, decision);

    await owner.goto(buildPath({ project, build: first }));
    const review = ide(owner).screen.getByRole("region", { name: "Review" });
    await expect(review).toContainText("If you start it, someone else has to approve it.");
    await inspect(owner, "follow-up-offered");
    await ide(owner).changes.click();
    const suggestion = owner.getByRole("region", { name: "Suggested edit" });
    await suggestion.getByRole("button", { name: "Apply suggestion" }).click();
    await expect(suggestion).toContainText("Applied in the follow-up");
    await expect(review).toContainText("The follow-up commits 1 suggestion first.");
    await inspect(owner, "suggestion-applied");
    await review.getByRole("button", { name: "Start follow-up build" }).click();
    await expect(owner).toHaveURL(/\/builds\/2$/);
    await expect(owner.getByRole("link", { name: "#1", exact: true })).toBeVisible();
    const { items } = await api.get<{ items: { id: string; follows: string | null }[] }>(
      `/api/projects/${project}/builds`,
    );
    const second = items.find(({ follows }) => follows === first)?.id ?? "";
    await api.reaches(second, "sealed");
    const commits = await api.get<{ items: { title: string; author_kind: string }[] }>(
      `/api/builds/${second}/commits`,
    );
    expect(commits.items.at(-1)).toMatchObject({
      title: "Apply a suggestion from the review",
      author_kind: "human",
    });
    await follow(
      owner.getByRole("link", { name: "#1", exact: true }),
      review.getByRole("link", { name: "Open follow-up" }),
    );
    await expect(owner).toHaveURL(/\/builds\/1$/);

    const page = await (await browser.newContext({ baseURL: server.address })).newPage();
    await signIn(page, server, GRACE);
    await page.goto(`/reviews/${second}`);
    await expect(page.getByText("Greet the reader.")).toBeVisible();
    const gone = page.getByRole("region", { name: "Comments on greeting.txt, line 1" });
    await expect(gone).toContainText("this line was removed:Hello");
    await expect(gone).toContainText("Be more polite");
    const moved = page.getByRole("region", { name: "Comments on greeting.txt, line 2" });
    await expect(moved).toContainText("now line 3");
    await inspect(page, "review-of-follow-up");
    await follow(
      page.getByRole("link", { name: "Open previous review" }),
      page.getByRole("link", { name: "Review follow-up" }),
    );
    await page.context().close();
  });
});

test.describe("on a touchscreen", () => {
  testWithSealedDemo.use({ hasTouch: true });

  testWithSealedDemo(
    "buttons of all lines are shown, apart from each other",
    async ({ adminPage: page, sealedDemo: { build } }) => {
      // Shows the whole file: lines below a sticky header would count as targets.
      await page.setViewportSize({ width: 1280, height: 1400 });
      await page.goto(`/reviews/${build}?file=src/cli.js`);
      const diff = page.getByRole("region", { name: "Changes in src/cli.js" });
      await expect(diff.getByText("write down who has it")).toBeVisible();
      expect(await page.evaluate(() => matchMedia("(hover: none)").matches)).toBe(true);
      for (const layout of ["Inline", "Side by side"]) {
        await page.getByText(layout, { exact: true }).click();
        await expect(page.getByRole("radio", { name: layout })).toBeChecked();
        await expect(
          diff.getByRole("button", { name: "Comment on line 10", exact: true }).first(),
        ).toBeVisible();
        await expectAccessible(page, layout);
      }
    },
  );
});
