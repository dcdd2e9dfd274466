// Checks that apply to every screen: axe, no horizontal overflow, and screenshots.
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

/** Checks the page at all widths and in both color schemes. */
export async function inspect(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const [width, height] of WIDTHS) {
      await page.setViewportSize({ width, height });
      await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
      await settled(page);
      await page.screenshot({ path: `${SHOTS}/${name}-${width}-${scheme}.png` });
      // The widest window has the elements of the middle one, and the schemes differ in colors only.
      if (width === 1280 || (width === 360 && scheme === "light")) {
        await expectAccessible(page, `${name} at ${width} in ${scheme}`);
      }
      if (scheme === "light") await expectNoSidewaysScroll(page, `${name} at ${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 720 });
}

/** WCAG 2.2 AA, as far as it can be checked automatically. */
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

/** Waits for transitions and fonts, so that screenshots are reproducible. */
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
