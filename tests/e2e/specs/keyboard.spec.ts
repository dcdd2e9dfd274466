// From signing in to the approval without a mouse, with visible focus throughout.
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { ide } from "../support/ide";
import { ADMIN } from "../support/server";

const GRACE = { email: "grace@example.org", password: "a password of hers" };
/** Links of the diff are many. */
const MAX_PRESSES = 80;

/** Presses Tab, or another key, until `target` is focused; it must then look different from when it is not. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  await target.waitFor();
  for (let presses = 0; presses < MAX_PRESSES && !(await hasFocus()); presses++) {
    await page.keyboard.press(key);
  }
  await expect(target, "reached with the keyboard").toBeFocused();
  expect(await hasVisibleFocus(target), "the focus is visible").toBe(true);
}

/** Whether the element, or the row or field around it, has an outline, a border or a shadow because of the focus. */
const hasVisibleFocus = (target: Locator) =>
  target.evaluate((element) => {
    const around = [element, element.parentElement, element.parentElement?.parentElement];
    const lookOf = () =>
      around.map((each) => {
        if (!each) return "";
        const { outline, borderColor, boxShadow, backgroundColor } = getComputedStyle(each);
        return [outline, borderColor, boxShadow, backgroundColor].join();
      });
    const focused = lookOf().join();
    (element as HTMLElement).blur();
    const plain = lookOf().join();
    (element as HTMLElement).focus({ focusVisible: true } as FocusOptions);
    return focused !== plain;
  });

async function signInByKeyboard(page: Page, { email, password }: typeof GRACE): Promise<void> {
  await expect(page.getByLabel("Email")).toBeFocused();
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
}

test.use({ settings: { FORGEGUARD_APPROVER_COOLDOWN: "0" } });

test("demo build is completed, reviewed and approved with the keyboard alone", async ({
  api,
  page,
}) => {
  await api.post("/api/users", { ...GRACE, name: "Grace", role: "admin" });
  await page.goto("/");
  await signInByKeyboard(page, ADMIN);

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("article").getByRole("link").first());
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Start demo build" }));
  await page.keyboard.press("Enter");

  const build = ide(page);
  await expect(build.answers).toBeVisible({ timeout: 60_000 });
  await tabTo(page, build.answers.getByRole("button", { name: "One month" }));
  await page.keyboard.press("Enter");
  await expect(build.answers).toBeHidden();
  await expect(build.line).toBeFocused();

  await expect(build.status).toHaveText("Waiting for review", { timeout: 240_000 });
  await tabTo(page, build.activity);
  await page.keyboard.press("ArrowRight");
  await expect(build.changes).toBeFocused();
  await expect(build.changes).toHaveAttribute("aria-selected", "true");
  const files = build.screen.getByRole("treeitem");
  await tabTo(page, build.screen.getByRole("treeitem", { selected: true }));
  await page.keyboard.press("Home");
  await expect(files.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(files.nth(1)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(files.nth(1)).toBeFocused();
  await expect(page).toHaveURL(/\/projects\/shelf\/builds\/1\?tab=changes/);

  // Another administrator decides.
  await page.goto("/");
  await tabTo(page, page.getByRole("button", { name: /^Account menu of/ }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("menuitem", { name: "Sign out" }), "ArrowDown");
  await page.keyboard.press("Enter");
  await signInByKeyboard(page, GRACE);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await tabTo(page, page.getByRole("link", { name: /Shelf.*started by admin/ }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("treeitem", { selected: true }));
  await page.keyboard.press("End");
  await expect(page.getByRole("treeitem").last()).toBeFocused();
  // By name, because the files in view change until the list has scrolled.
  const viewed = page.getByRole("checkbox", { name: "Viewed test/shelf.test.js" });
  await expect(viewed).toBeInViewport();
  await tabTo(page, viewed);
  await page.keyboard.press("Space");
  await expect(page.getByText(/^1 of \d+ viewed/)).toBeVisible();
  await tabTo(page, page.getByRole("button", { name: "Finish review" }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Approve" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("list", { name: "Decisions, newest first" })).toContainText("Grace");
});
