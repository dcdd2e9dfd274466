// Checks that apply to every screen: axe and no horizontal overflow. SOAK=1 runs all rules of axe in the narrow window too,
// which has almost the same elements. SHOTS=1 saves screenshots as well; SCREENS=1 compares
// smaller ones with those in `screens` and checks nothing else.
import { fileURLToPath } from "node:url";
import { expect, type Page } from "@playwright/test";
import axe, { type RunOnly } from "axe-core";

declare global {
  interface Window {
    /** After its source has run in the page. */
    axe: typeof axe;
  }
}

const SHOTS = fileURLToPath(new URL("../shots", import.meta.url));
const takesShots = process.env.SHOTS === "1";
const isSoak = !!process.env.SOAK;
const comparesScreens = process.env.SCREENS === "1";
/** What depends on the width. */
const LAYOUT: RunOnly = { type: "rule", values: ["target-size", "scrollable-region-focusable"] };
/** What depends on the color scheme. */
const CONTRAST: RunOnly = { type: "rule", values: ["color-contrast"] };
/** WCAG 2.2 AA, as far as it can be checked automatically. */
const ALL: RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [
  [360, 740],
  [1280, 800],
  [1920, 1080],
] as const;

/** Checks the page at all widths and in both color schemes. */
export async function inspect(page: Page, name: string): Promise<void> {
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    if (comparesScreens) {
      await compare(page, name, scheme);
      continue;
    }
    for (const [width, height] of WIDTHS) {
      // Schemes differ in colors only.
      if (scheme === "dark" && width !== 1280 && !takesShots) continue;
      await page.setViewportSize({ width, height });
      await page.evaluate(() => window.scrollTo(0, 0));
      await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
      await settled(page);
      if (takesShots) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${scheme}.png` });
      const where = `${name} at ${width} in ${scheme}`;
      if (scheme === "dark") {
        if (width === 1280) await expectNoViolations(page, CONTRAST, where);
        continue;
      }
      await expectNoSidewaysScroll(page, where);
      // The widest window has the elements of the middle one.
      if (width === 1920) continue;
      if (width === 1280 || isSoak) await expectAccessible(page, where);
      else await expectNoViolations(page, LAYOUT, where);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 720 });
}

/** Compares the page with its stored screenshot, and reports all differences of a test at its end. */
async function compare(page: Page, name: string, scheme: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
  await settled(page);
  await expect.soft(page).toHaveScreenshot(`${name}-${scheme}.png`, { scale: "device" });
}

/** Checks the page with all rules. */
export const expectAccessible = (page: Page, what: string): Promise<void> =>
  expectNoViolations(page, ALL, what);

/**
 * Checks the page, without its frames: the app has none. `@axe-core/playwright` would load axe again for each check
 * and transfer what was not violated as well, which takes as long as the check.
 */
async function expectNoViolations(page: Page, runOnly: RunOnly, what: string): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  await uncoverTargets(page);
  const found = await page.evaluate(async (runOnly) => {
    const { violations } = await window.axe.run({ runOnly, resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`),
    }));
  }, runOnly);
  expect(found, what).toEqual([]);
}

/**
 * Scrolls until no target is partly below the sticky header of its section, as it would count as too small. Lists
 * move again while their rows are measured.
 */
async function uncoverTargets(page: Page): Promise<void> {
  const uncover = () =>
    page.evaluate(
      ({ targets, minSize }) => {
        const isScroller = (element: Element) =>
          /auto|scroll/.test(getComputedStyle(element).overflowY);
        let moved = 0;
        window.scrollTo(0, 0);
        for (const header of document.querySelectorAll("*")) {
          const { position, top } = getComputedStyle(header);
          const section = header.parentElement;
          if (position !== "sticky" || top === "auto" || !section) continue;
          const over = header.getBoundingClientRect();
          let distance = 0;
          for (const target of section.querySelectorAll(targets)) {
            if (header.contains(target) || !target.checkVisibility({ opacityProperty: true }))
              continue;
            const { top, bottom, left, right } = target.getBoundingClientRect();
            const [covered, rest] = [over.bottom - top, bottom - over.bottom];
            if (covered < 0.5 || rest < 0.5 || rest >= minSize) continue;
            if (left >= over.right || right <= over.left) continue;
            distance = Math.max(distance, Math.min(covered, minSize - rest));
          }
          let scroller = section;
          while (scroller.parentElement && !isScroller(scroller)) scroller = scroller.parentElement;
          const before = scroller.scrollTop;
          scroller.scrollTop -= Math.ceil(distance);
          if (scroller.scrollTop !== before) moved += 1;
        }
        return moved;
      },
      { targets: "a, button, input, select, textarea, summary, [tabindex]", minSize: 24 },
    );
  await expect.poll(uncover, "lists with a target partly below a header").toBe(0);
}

/** Longer than transitions take on a busy machine. */
const SETTLE_TIMEOUT_MS = 10_000;

/** Waits for transitions and fonts, so that screenshots are reproducible. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => {
    const isEnding = ({ effect, playState }: Animation) =>
      playState === "running" &&
      effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    const drawn = async () => {
      await document.fonts.ready;
      // Not `Animation.finished`: it may stay pending if the element is removed.
      while (document.getAnimations().some(isEnding)) await frame();
      await frame();
      await frame();
      document.documentElement.dataset.settled = "true";
    };
    delete document.documentElement.dataset.settled;
    drawn();
  });
  const isSettled = page.locator("html[data-settled]");
  const until = { state: "attached", timeout: SETTLE_TIMEOUT_MS } as const;
  const isDrawn = await isSettled.waitFor(until).then(
    () => true,
    () => false,
  );
  if (isDrawn) return;
  // Chromium may draw no frame after a change of the window's size until the size changes again; a
  // screenshot would wait for that frame too.
  const size = page.viewportSize();
  if (size) {
    await page.setViewportSize({ ...size, height: size.height + 1 });
    await page.setViewportSize(size);
  }
  await isSettled.waitFor(until);
}

async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond, `${what}: pixels beyond the right edge`).toBeLessThanOrEqual(0);
}
