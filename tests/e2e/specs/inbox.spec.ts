// The inbox: items are read, opened and handled, by keyboard alone.
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { press } from "../support/keyboard";
import { title } from "../support/navigation";
import { inspect } from "../support/screen";

test.describe.configure({ timeout: 300_000 });

test("question arrives in the inbox, is opened, and disappears when it is answered", async ({
  adminPage: page,
  api,
}) => {
  const link = page.getByRole("banner").getByRole("link", { name: /^Inbox/ });
  const list = page.getByRole("list", { name: "Inbox" });
  const item = list.getByRole("link", { name: /Question.*Shelf #1/ });
  await page.goto("/");
  await press(link, "Enter");
  await expect(title(page, "Inbox")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Nothing is waiting for you" })).toBeVisible();
  await inspect(page, "inbox-empty");

  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  // An open page is updated.
  await expect(item).toBeVisible({ timeout: 30_000 });
  await expect(link).toHaveAccessibleName("Inbox 1 unread");
  await inspect(page, "inbox");

  await press(list.getByRole("button", { name: /^Mark as read/ }), "Enter");
  await expect(link).toHaveText("Inbox");
  await press(list.getByRole("button", { name: /^Mark as unread/ }), "Enter");
  await expect(link).toHaveAccessibleName("Inbox 1 unread");

  await press(item, "Enter");
  await expect(page).toHaveURL(/\/projects\/shelf\/builds\/1$/);
  await expect(ide(page).answers).toBeVisible();
  // What was opened is read.
  await expect(link).toHaveText("Inbox");
  await api.answer(started.build, "Two weeks");
  await page.keyboard.press("Escape");
  await page.goto("/inbox");
  await expect(page.getByRole("heading", { name: "Nothing is waiting for you" })).toBeVisible();
});
