// Navigation between pages.
import { expect, type Locator, type Page } from "@playwright/test";
import { ide } from "./ide";

/**
 * Follows a link and waits for `arrival`, which only the next page has. The app navigates without reloading, so
 * anything that both pages have may still belong to the previous one.
 */
export async function follow(link: Locator, arrival: Locator): Promise<void> {
  await link.waitFor();
  await expect(arrival, "not there before the link is followed").toBeHidden();
  await link.click();
  await expect(arrival).toBeVisible();
}

/** The heading of a page. */
export const title = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("heading", { name, level: 1 });

/** Opens the project `name` from the list of projects. */
export const openProject = (page: Page, name: string): Promise<void> =>
  follow(page.getByRole("link", { name }), title(page, name));

export const latestBuild = (page: Page): Locator =>
  page.getByRole("region", { name: "Latest build" }).getByRole("link").last();

/** Opens the latest build of a project. */
export const openLatestBuild = (page: Page): Promise<void> =>
  follow(latestBuild(page), ide(page).screen);
