// Answers to the questionnaire that the project's repository suggests.
import { expect, test } from "../support/fixtures";
import { press } from "../support/keyboard";
import { newProject, questionnaire } from "../support/questionnaire";
import { pushFiles } from "../support/repository";
import { inspect } from "../support/screen";

const FILES = {
  "README.md": "# Tally\n\nTally counts the votes of a club.\n",
  "package.json": '{\n  "name": "tally",\n  "dependencies": {\n    "express": "^4.18.2"\n  }\n}\n',
  ".github/workflows/ci.yml":
    "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n",
};

test("suggestions are reviewed with their lines, and only selected ones are added", async ({
  adminPage: page,
  api,
  server,
}) => {
  const project = await newProject(api, "Tally");
  const form = questionnaire(page);
  const answered = {
    product_intent: { summary: "It counts." },
    tech_stack: { frameworks: ["Koa 2"] },
  };
  await project.write(answered);
  await page.goto(`${project.page}/tech_stack`);
  await expect(form.step("Technology")).toBeVisible();
  const card = page.getByRole("region", { name: "Found in your repository" });
  await expect(card).toBeHidden();

  await pushFiles(server.address, api, project.id, FILES);
  await page.reload();
  await expect(card).toContainText("4 suggestions for unanswered questions");
  await inspect(page, "suggested-answers");

  const review = card.getByRole("button", { name: "Review suggestions" });
  await press(review, "Enter");
  const dialog = page.getByRole("dialog", { name: "Found in your repository" });
  const summary = dialog.getByRole("group", { name: "What should it do?" });
  await expect(summary).toContainText("It counts.");
  await expect(summary.getByRole("checkbox")).not.toBeChecked();
  await expect(summary.getByRole("checkbox")).toHaveAccessibleDescription(/^README\.md:3 Tally/);
  const express = dialog.getByRole("checkbox", { name: "Express 4.18.2" });
  await expect(express).toHaveAccessibleDescription(/^package\.json:4 "express"/);
  await expect(dialog.getByRole("checkbox", { name: "JavaScript" })).toBeChecked();
  await inspect(page, "suggested-answers-review");

  await press(express, "Space");
  await dialog.getByRole("checkbox", { name: "Linux" }).uncheck();
  await press(dialog.getByRole("button", { name: "Add 4 suggestions" }), "Enter");
  await expect(dialog).toBeHidden();
  await expect(form.list("Which frameworks and libraries?").getByRole("textbox")).toHaveCount(2);
  await expect(page.getByRole("textbox", { name: "Other" })).toHaveValue("JavaScript");
  await expect
    .poll(async () => (await project.read()).answers)
    .toEqual({
      product_intent: { summary: "It counts." },
      tech_stack: { language: "JavaScript", frameworks: ["Koa 2", "Express 4.18.2"] },
      api_endpoints: { style: "HTTP with JSON" },
      dev_platform: { test_command: "npm test" },
    });
  await expect(card).toContainText("1 suggestion for unanswered questions");
});
