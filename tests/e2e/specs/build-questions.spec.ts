// Questions about builds, which a model answers with references.
import { expect, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { press } from "../support/keyboard";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

testWithSealedDemo.describe("sealed build", () => {
  testWithSealedDemo.use({ hasModel: true });

  testWithSealedDemo(
    "question is answered, and its references lead to the event and the line",
    async ({ adminPage: page, api, sealedDemo: started }) => {
      const before = await api.build(started.build);
      await page.goto(buildPath(started));
      const build = ide(page);
      const recipients = build.screen.getByRole("radiogroup", { name: "Send to" });
      await expect(recipients.getByRole("radio", { name: "Message the builder" })).toBeDisabled();
      await build.question.fill("Why does it look like this?");
      await press(build.question, "Enter");
      const asked = build.screen.getByRole("article", { name: "Why does it look like this?" });
      await expect(asked.getByText("contracts", { exact: true })).toBeVisible();
      await expect(asked.getByText(/ tokens · (<?\$|price unknown)/)).toBeVisible();
      await expect(build.question).toHaveValue("");
      await inspect(page, "build-ask");

      const event = asked.getByRole("link", { name: "Event #1" });
      await follow(event, build.log.locator('[data-row="e1"]'));
      await build.ask.click();
      const lines = asked.getByRole("link", { name: /\.js:1–2$/ });
      await follow(lines, build.screen.getByRole("region", { name: /^Changes in .*\.js/ }).first());
      await expect(build.screen.locator("[aria-current=location]").first()).toBeVisible();

      await build.usage.click();
      const usage = build.screen.getByRole("region", { name: "Questions about this build" });
      await expect(usage).toContainText("Tokens received400");
      expect(await api.build(started.build)).toEqual(before);
    },
  );
});

test.describe("running build", () => {
  test.use({ hasModel: true, pace: 200 });

  test("switch keeps the text, also when the page is reloaded", async ({
    adminPage: page,
    api,
  }) => {
    const started = await api.startDemo();
    await page.goto(buildPath(started));
    const build = ide(page);
    await build.line.fill("Which gates ran?");
    await build.sendTo("Ask about the build");
    await expect(build.question).toHaveValue("Which gates ran?");
    await page.reload();
    await expect(build.question).toHaveValue("Which gates ran?");
    await press(build.question, "Enter");
    await expect(build.screen.getByRole("article", { name: "Which gates ran?" })).toBeVisible();
    await build.sendTo("Message the builder");
    await expect(build.line).toHaveValue("");
    const types = (await api.events(started.build)).map(({ type }) => type);
    expect(types).not.toContain("build_interjected");
  });
});
