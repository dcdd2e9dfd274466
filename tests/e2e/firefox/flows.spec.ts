// The main flows in Firefox: first start, description, contracts, build, review.
import { expect } from "@playwright/test";
import { test } from "../support/firefox";
import { answeredProject } from "../support/generation";
import { ADMIN } from "../support/server";

const GRACE = { email: "grace@example.org", password: "a password of hers" };

test.describe("before the first account", () => {
  test.use({ hasAdmin: false });

  test("setup link creates the first account", async ({ newPage, server }) => {
    const page = await newPage();
    await page.open(server.setupUrl ?? "");
    await page.fill("textbox", "Your name", "Ada");
    await page.fill("textbox", "Email", ADMIN.email);
    await page.fillPassword(ADMIN.password);
    await page.click("button", "Create account");
    await page.sees("button", "Start demo build");
  });
});

test("project is described and its answers are saved", async ({ api, newPage }) => {
  const page = await newPage();
  await page.signIn(ADMIN);
  await page.click("button", "New project");
  await page.click("tab", "Start from a description");
  await page.fill("textbox", "Name", "Garden diary");
  await page.click("button", "Create project");
  await page.fill("textbox", "What should it do?", "It keeps notes on what grows where.");
  await page.reads("Saved");
  await expect
    .poll(async () => {
      const { answers } = await api.get<{ answers: Record<string, unknown> }>(
        "/api/projects/garden-diary/questionnaire",
      );
      return answers.product_intent;
    })
    .toEqual({ summary: "It keeps notes on what grows where." });
});

test.describe("with a model", () => {
  test.use({ hasModel: true });

  test("contracts are generated", async ({ api, newPage }) => {
    const project = await answeredProject(api);
    const page = await newPage();
    await page.signIn(ADMIN);
    await page.open(project.page);
    await page.click("button", "Generate contracts");
    await page.sees("heading", "9 contracts generated");
    await page.open(`${project.page}/schema`);
    await page.sees("heading", "gardener");
  });
});

test("demo build asks a question and is sealed", async ({ api, newPage }) => {
  const page = await newPage();
  await page.signIn(ADMIN);
  await page.open(`/projects/${await api.demo()}`);
  await page.click("button", "Start demo build");
  await page.click("button", "Two weeks");
  await page.reads("Waiting for review");
  await page.click("tab", "Changes");
  await page.sees("region", "Changes in src/due.js");
});

test.describe("with a sealed build", () => {
  test.use({
    copied: async ({ sealedDemo }, use) => use(sealedDemo.server),
    settings: { FORGEGUARD_APPROVER_COOLDOWN: "0" },
  });

  test("it is verified and approved", async ({ api, newPage, sealedDemo }) => {
    await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
    const page = await newPage();
    await page.signIn(GRACE);
    await page.open(`/reviews/${sealedDemo.build}`);
    await page.click("button", "Verify");
    await page.reads("events is intact.");
    await page.click("button", "Finish review");
    await page.click("button", "Approve");
    await page.sees("list", "Decisions, newest first");
    const { decisions } = await api.get<{ decisions: { decision: string }[] }>(
      `/api/builds/${sealedDemo.build}/reviews`,
    );
    expect(decisions.map(({ decision }) => decision)).toEqual(["approved"]);
  });
});
