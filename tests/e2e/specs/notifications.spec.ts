// Browser notifications, with a replacement for the Notification API.
import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";

interface Shown {
  title: string;
  tag: string;
}

/** Replaces browser notifications: grants permission and records what would be shown. */
async function standIn(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shown: Shown[] = [];
    class StandIn {
      static permission = localStorage.getItem("test-permission") ?? "default";
      static async requestPermission() {
        localStorage.setItem("test-permission", "granted");
        StandIn.permission = "granted";
        return "granted";
      }
      onclick: (() => void) | null = null;
      constructor(title: string, { tag }: { tag: string }) {
        shown.push({ title, tag });
        Object.assign(window, { lastNotification: this });
      }
      close() {}
    }
    Object.assign(window, { Notification: StandIn, shownNotifications: shown });
  });
}

const shown = (page: Page) =>
  page.evaluate(() => (window as unknown as { shownNotifications: Shown[] }).shownNotifications);

const hide = (page: Page, hidden: boolean) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    Object.defineProperty(document, "visibilityState", {
      value: value ? "hidden" : "visible",
      configurable: true,
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

test("hidden tab gets notifications of a question and the result", async ({
  adminPage: page,
  api,
}) => {
  await standIn(page);
  await page.goto("/account");
  await page.getByRole("switch", { name: "Notify me" }).click();
  await expect(page.getByRole("switch", { name: "Notify me" })).toBeChecked();
  await hide(page, true);
  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  await expect.poll(() => shown(page), { timeout: 40_000 }).toHaveLength(1);
  expect((await shown(page))[0]).toMatchObject({
    title: expect.stringMatching(/^Question from /),
    tag: expect.stringMatching(/^question\//),
  });

  await page.evaluate(() =>
    (window as unknown as { lastNotification: Notification }).lastNotification.onclick?.call(
      window as never,
      new Event("click"),
    ),
  );
  await expect(page).toHaveURL(/\/projects\/shelf\/builds\/1$/);
  await expect(ide(page).answers).toBeVisible();
  // Notifications are enabled already, so nothing is offered.
  await expect(ide(page).screen.getByRole("region", { name: "Notifications" })).toBeHidden();

  await api.answer(started.build, "Two weeks");
  await api.reaches(started.build, "sealed");
  await expect.poll(() => shown(page), { timeout: 40_000 }).toHaveLength(2);
  expect((await shown(page))[1]?.title).toMatch(/ is sealed: certified$/);
});

test("visible tab gets no notifications, and a dismissed offer is not repeated", async ({
  adminPage: page,
  api,
}) => {
  await standIn(page);
  await page.goto("/");
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const offer = ide(page).screen.getByRole("region", { name: "Notifications" });
  await expect(offer).toBeVisible({ timeout: 60_000 });
  await offer.getByRole("button", { name: "Notify me" }).click();
  await expect(offer).toBeHidden();
  await api.answer(started.build, "Two weeks");
  await api.reaches(started.build, "sealed");
  await expect(ide(page).status).toHaveText("Waiting for review");
  expect(await shown(page)).toEqual([]);

  await page.evaluate(() => localStorage.clear());
  const again = await api.startDemo();
  await page.goto(buildPath(again));
  await offer.getByRole("button", { name: "Dismiss" }).click();
  await page.reload();
  await expect(ide(page).answers).toBeVisible();
  await expect(offer).toBeHidden();
});
