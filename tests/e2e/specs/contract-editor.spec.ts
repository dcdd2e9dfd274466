// The contract editor: validation errors, drafts and conflicts.
import { contract, demoContracts } from "../support/contracts";
import { expect, test } from "../support/fixtures";
import { follow } from "../support/navigation";
import { inspect } from "../support/screen";

test.describe.configure({ timeout: 400_000 });

test("validation error is shown at its line until corrected", async ({ adminPage: page, api }) => {
  const { page: contracts, read } = await demoContracts(api);
  const { editor, problem } = contract(page);
  const save = page.getByRole("button", { name: "Save" });
  await page.goto(`${contracts}/physics`);
  await follow(page.getByRole("link", { name: "Edit" }), editor);
  await expect(save).toBeDisabled();
  await editor.fill("endpoints:\n  - name: add\n    call: shelf add\n  - name: lend\n");
  await save.click();
  await expect(problem).toContainText("needs `method` and `path`");
  await expect(page.getByRole("alert")).toContainText(/Line 4/);
  await inspect(page, "contract-refused");

  await editor.fill("endpoints:\n  - name: add\n    call: shelf add\n");
  await page.keyboard.press("Control+s");
  const shorter = page.getByRole("dialog", { name: "Save a much shorter contract?" });
  await shorter.getByRole("button", { name: "Cancel" }).click();
  await expect(shorter).toBeHidden();
  expect((await read("physics")).version).toBe(1);
  await save.click();
  await shorter.getByRole("button", { name: "Save anyway" }).click();
  await expect(page.getByText("Saved as version 2.")).toBeVisible();
  await expect(page).not.toHaveURL(/view=edit/);
  expect((await read("physics")).content).toContain("call: shelf add");
});

test("unsaved text survives a reload and can be discarded", async ({ adminPage: page, api }) => {
  const { page: contracts, read } = await demoContracts(api);
  const { editor } = contract(page);
  await page.goto(`${contracts}/stack?view=edit`);
  await editor.fill("# Stack\n\nHalf a sen");
  await expect(page.getByText("Unsaved changes are kept in this browser.")).toBeVisible();
  await page.reload();
  await expect(editor).toContainText("Half a sen");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.goto(`${contracts}/stack?view=edit`);
  await expect(editor).toContainText("node");
  await expect(editor).not.toContainText("Half a sen");
  expect((await read("stack")).version).toBe(1);
});

test("concurrent edits of a contract keep both texts", async ({
  adminPage: page,
  api,
  context,
}) => {
  const { page: contracts, read } = await demoContracts(api);
  const { content } = await read("manifesto");
  const other = await context.newPage();
  const address = `${contracts}/manifesto?view=edit`;
  await page.goto(address);
  await expect(contract(page).editor).toBeVisible();
  await other.goto(address);
  await contract(other).editor.fill(`${content}\nFrom the other page.\n`);
  await other.getByRole("button", { name: "Save" }).click();
  await expect(other.getByText("Saved as version 2.")).toBeVisible();
  await other.close();

  await contract(page).editor.fill(`${content}\nFrom this page.\n`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("Version 2 was saved while you were editing");
  const theirs = page.getByRole("textbox", { name: "Other version" });
  const mine = page.getByRole("textbox", { name: "Your version" });
  await expect(theirs).toContainText("From the other page.");
  await expect(mine).toContainText("From this page.");
  await inspect(page, "contract-conflict");
  await page.getByRole("button", { name: "Keep my version" }).click();
  await expect(page.getByText("Saved as version 3.")).toBeVisible();
  expect((await read("manifesto")).content).toContain("From this page.");
});
