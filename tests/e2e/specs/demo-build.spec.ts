// The demo build from start to seal.
import { readFile } from "node:fs/promises";
import { expect, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

test("demo build asks a question, is answered and ends certified", async ({
  adminPage: page,
  api,
}) => {
  const project = await api.demo();
  await page.goto(`/projects/${project}`);
  await page.getByRole("button", { name: "Start demo build" }).click();
  await expect(page).toHaveURL(/\/projects\/shelf\/builds\/1$/);
  const build = ide(page);

  await test.step("speed can be changed while it runs", async () => {
    const fast = build.screen.getByRole("radio", { name: "Fast" });
    await build.screen.getByText("Fast", { exact: true }).click();
    await expect(fast).toBeChecked();
    const skip = build.screen.getByRole("button", { name: "Skip ahead" });
    await skip.click();
    await expect(skip).toHaveAttribute("aria-pressed", "true");
  });

  await test.step("question is shown, also in the title", async () => {
    await expect(build.status).toHaveText("Needs your answer", { timeout: 60_000 });
    await expect(page).toHaveTitle(/\(1\)/);
    const card = build.screen.getByRole("region", { name: /How long may a friend keep a book/ });
    await expect(card.getByRole("timer")).toContainText("Agent decides in");
    await expect(build.answers.getByRole("button")).toHaveText([
      "Two weeks",
      "Three weeks",
      "One month",
      "Let AI decide",
    ]);
  });

  await test.step("answer is sent with one click", async () => {
    await build.answers.getByRole("button", { name: "Two weeks" }).click();
    await expect(build.answers).toBeHidden();
  });

  await test.step("build is sealed with a verdict", async () => {
    await expect(build.status).toHaveText("Waiting for review", { timeout: 240_000 });
    await expect(build.verdict).toContainText("Certified");
    await follow(
      build.verdict.getByRole("link", { name: "Evidence and branch" }),
      build.seal.getByText("There are no open errors"),
    );
    const gates = build.seal.getByRole("button", { name: /^Met Every gate passes/ });
    await gates.click();
    await expect(build.seal.getByText("node --test").first()).toBeVisible();
    await expect(build.seal.getByText(/git clone -b forge\/build-/)).toBeVisible();
    await build.seal.getByRole("button", { name: "Verify" }).click();
    const found = build.seal.getByRole("status");
    await expect(found).toHaveText(/^The chain of [\d,]+ events is intact\.Head [0-9a-f]{64}$/);
  });

  await test.step("evidence is downloaded, with instructions for verification", async () => {
    const downloading = page.waitForEvent("download");
    await build.seal.getByRole("button", { name: "Download evidence" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toMatch(/^build-[0-9a-f-]{36}\.zip$/);
    const zip = await readFile(await file.path());
    expect(zip.subarray(0, 2).toString()).toBe("PK");
    await expect(
      build.seal.getByText(`forgeguard verify ${file.suggestedFilename()} --key seal.pub`),
    ).toBeVisible();
    await build.activity.click();
  });

  await test.step("Activity lists all events up to the seal", async () => {
    await build.show("Commits");
    await expect(build.log.getByRole("img", { name: "Commit by ForgeGuard" }).last()).toBeVisible();
    await expect(build.log.getByText(/\[forge\] #1: sealed/)).toBeVisible();
    await build.show("Gates");
    const gate = build.log.getByRole("button", { name: /^Gate test passed/ }).last();
    await gate.click();
    await expect(build.log.getByText("Exit code").first()).toBeVisible();
    await build.show("All");
    await build.screen.getByRole("textbox", { name: "Search activity" }).fill("answered");
    await expect(build.log.getByText(/answered: Two weeks/)).toBeVisible();
  });

  await test.step("Activity jumps to the first error, filters by agent, and is exported", async () => {
    await build.screen.getByRole("button", { name: /^Jump to first error/ }).click();
    const marked = build.log.locator("[aria-current=location]");
    await expect(marked).toBeInViewport({ ratio: 1 });
    await expect(marked.getByRole("img", { name: "Error" })).toBeVisible();
    expect(page.url()).toMatch(/#\d+$/);
    await build.screen.getByRole("button", { name: "Filter by agent or phase" }).click();
    await build.screen.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Auditor" }).click();
    await expect(
      build.log.getByText("checks the result against the contracts").first(),
    ).toBeVisible();
    await expect(build.log.getByText("fixes failures")).toHaveCount(0);
    await inspect(page, "build-activity-agent");
    const downloading = page.waitForEvent("download");
    await build.screen.getByRole("button", { name: /^Export journal/ }).click();
    const file = await readFile(await (await downloading).path(), "utf8");
    const lines = file.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(lines.map((_, index) => index + 1));
    await build.screen.getByRole("button", { name: "Filter by agent or phase" }).click();
  });

  await test.step("Changes shows the diff", async () => {
    await build.changes.click();
    await build.screen.getByRole("treeitem", { name: /^src\/due\.js, added/ }).click();
    const diff = build.screen.getByRole("region", { name: "Changes in src/due.js" });
    await expect(diff.getByText("export function daysUntil")).toBeVisible();
    await expect(diff.locator('[data-token="keyword"]').first()).toBeVisible();
  });

  await test.step("Errors shows resolved errors", async () => {
    await expect(build.errors).toHaveText("Errors (1 resolved)");
    await build.errors.click();
    await expect(build.screen.getByText("No open errors")).toBeVisible();
    await build.screen.getByRole("button", { name: /^Resolved/ }).click();
    await expect(build.screen.getByText("Fixed automatically").first()).toBeVisible();
  });

  await test.step("all tasks of the plan are done", async () => {
    const plan = build.screen.getByRole("complementary");
    await expect(plan.getByRole("img", { name: "Done" })).not.toHaveCount(0);
    await expect(plan.getByRole("img", { name: "To do" })).toHaveCount(0);
  });

  await test.step("the breadcrumb leads to the project", async () => {
    const latest = page.getByRole("region", { name: "Latest build" });
    await follow(
      page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").nth(1),
      latest,
    );
    await expect(page).toHaveURL(/\/projects\/shelf$/);
    await expect(latest).toContainText("Certified");
    await expect(latest.getByRole("button", { name: "Start new build" })).toBeEnabled();
  });

  await test.step("the recorded follow-up carries out a change", async () => {
    await page.goto("/projects/shelf/builds/1");
    const offer = page.getByRole("region", { name: "Ask for a change" });
    await offer.getByRole("button", { name: "Ask for a change" }).click();
    await expect(offer).toContainText("shelf list --out");
    await inspect(page, "demo-follow-up-offered");
    await offer.getByRole("button", { name: "Start follow-up build" }).click();
    await expect(page).toHaveURL(/\/projects\/shelf\/builds\/2$/);
    await build.screen.getByRole("button", { name: "Skip ahead" }).click();
    await expect(build.status).toHaveText("Waiting for review", { timeout: 240_000 });
    await expect(build.verdict).toContainText("Certified");
  });
});

testWithSealedDemo("journal of a finished build verifies", async ({ api, sealedDemo }) => {
  const sealed = await api.build(sealedDemo.build);
  expect(sealed.verdict).toBe("CERTIFIED");
  const proof = await api.get<{ ok: boolean; events: number; head_hash: string }>(
    `/api/builds/${sealedDemo.build}/verify`,
  );
  expect(proof).toMatchObject({ ok: true, events: sealed.head_seq, head_hash: sealed.head_hash });
});

test("the question takes free text, or lets the agent decide", async ({ adminPage: page, api }) => {
  const build = ide(page);
  const resolvedAs = (started: { build: string }) =>
    expect.poll(async () => {
      const { items } = await api.get<{ items: { status: string; answer: string | null }[] }>(
        `/api/builds/${started.build}/clarifications`,
      );
      return items.map(({ status, answer }) => [status, answer]);
    });

  const first = await api.startDemo();
  await page.goto(buildPath(first));
  await expect(build.answers).toBeVisible({ timeout: 60_000 });
  await build.line.fill("Ten days, please");
  await press(build.line, "Enter");
  await expect(build.answers).toBeHidden();
  await resolvedAs(first).toEqual([["answered", "Ten days, please"]]);
  await api.post(`/api/builds/${first.build}/cancel`);

  await api.reaches(first.build, "abandoned");
  const second = await api.startDemo();
  await page.goto(buildPath(second));
  await build.answers.getByRole("button", { name: "Let AI decide" }).click({ timeout: 60_000 });
  await expect(build.answers).toBeHidden();
  await resolvedAs(second).toEqual([["skipped", null]]);
});
