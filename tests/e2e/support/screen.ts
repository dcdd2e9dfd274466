// What every screen is held to: no finding of axe, nothing wider than the window; and its pictures.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const SHOTS = fileURLToPath(new URL("../shots", import.meta.url));
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [
  [360, 740],
  [1280, 800],
  [1920, 1080],
] as const;

/** Looks at the page as it stands, in every width and both schemes. */
export async function inspect(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const [width, height] of WIDTHS) {
      await page.setViewportSize({ width, height });
      await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
      await settled(page);
      await page.screenshot({ path: `${SHOTS}/${name}-${width}-${scheme}.png` });
      // The widest window has the layout of the middle one.
      if (width < 1920) await expectAccessible(page, `${name} at ${width} in ${scheme}`);
      await expectNoSidewaysScroll(page, `${name} at ${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 720 });
}

/** WCAG 2.2 AA, as far as a machine can tell. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`),
  }));
  expect(found, what).toEqual([]);
}

/** Motion has ended and fonts are there, so that two pictures of one screen are alike. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const ending = document
      .getAnimations()
      .filter(
        (animation) =>
          animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY,
      );
    await Promise.allSettled(ending.map((animation) => animation.finished));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
}

async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond, `${what}: pixels beyond the right edge`).toBeLessThanOrEqual(0);
}
