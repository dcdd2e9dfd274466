// Page objects of the build screen.
import { expect, type Locator, type Page } from "@playwright/test";

export function ide(page: Page) {
  const dialog = page.getByRole("dialog").first();
  const tab = (name: RegExp | string) => dialog.getByRole("tab", { name });
  return {
    dialog,
    status: dialog
      .locator("header")
      .getByText(/^(Queued|Running|Needs your answer|Paused|Sealing|Sealed|Blocked|Cancelled)$/),
    activity: tab("Activity"),
    changes: tab("Changes"),
    errors: tab(/^Errors/),
    usage: tab("Usage"),
    plan: tab("Plan"),
    show: (what: "All" | "Agents" | "Gates" | "Commits" | "Errors") =>
      dialog.getByRole("radiogroup", { name: "Show" }).getByText(what, { exact: true }).click(),
    log: dialog.getByRole("log", { name: "Activity of the build" }),
    answers: dialog.getByRole("group", { name: "Answers" }),
    line: dialog.getByRole("combobox", { name: /^(Your answer|Message or command)$/ }),
    notepad: dialog.getByRole("textbox", { name: "Notepad" }),
    verdict: dialog.getByRole("region", { name: "Verdict" }),
    seal: dialog.getByRole("region", { name: "Seal", exact: true }),
    reconnecting: dialog.getByText("Reconnecting…"),
    close: dialog.getByRole("button", { name: "Close build" }),
  };
}

export const buildPath = ({ project, build }: { project: string; build: string }) =>
  `/projects/${project}/builds/${build}`;

interface DrawnRow {
  /** The index in the list. */
  index: number;
  key: string;
  text: string;
}

/** The rendered rows, and whether the list is scrolled to its end. */
const drawnRows = (log: Locator) =>
  log.evaluate((list) => ({
    rows: [...list.querySelectorAll<HTMLElement>("[data-item-index] [data-row]")].map(
      (row): DrawnRow => ({
        index: Number(row.closest<HTMLElement>("[data-item-index]")?.dataset.itemIndex),
        key: row.dataset.row ?? "",
        text: row.textContent ?? "",
      }),
    ),
    isAtEnd: list.scrollTop + list.clientHeight >= list.scrollHeight - 2,
  }));

/** Scrolls through the activity and returns all rows. */
export async function allRows(page: Page): Promise<string[]> {
  const { log } = ide(page);
  const scroll = (pages: number) =>
    log.evaluate((list, pages) => {
      list.scrollTop += pages * list.clientHeight;
    }, pages);
  await log.hover();
  await page.mouse.wheel(0, -100);
  /** Contiguous from the first row. */
  const read: DrawnRow[] = [];
  await expect
    .poll(
      async () => {
        const { rows, isAtEnd } = await drawnRows(log);
        // Scrolls up until the first row is loaded.
        const begin = rows.findIndex(({ key }) => key === "e1");
        if (read.length === 0 && begin < 0) {
          await scroll(-1_000);
          return false;
        }
        if (read.length === 0) read.push(...rows.slice(begin, begin + 1));
        for (const row of rows) if (row.index === (read.at(-1)?.index ?? 0) + 1) read.push(row);
        const isWhole = read.at(-1)?.index === rows.at(-1)?.index;
        if (isWhole && isAtEnd) return true;
        // Scrolls back if rows were skipped.
        const isPast = (rows[0]?.index ?? 0) > (read.at(-1)?.index ?? 0) + 1;
        await scroll(isPast ? -0.5 : 0.5);
        return false;
      },
      { timeout: 60_000, intervals: [50] },
    )
    .toBe(true);
  return read.map(({ key, text }) => `${key} ${text}`);
}
