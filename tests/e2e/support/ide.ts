// Page objects of the build screen.
import { expect, type Locator, type Page } from "@playwright/test";

export function ide(page: Page) {
  const screen = page.getByRole("region", { name: "Build", exact: true });
  const tab = (name: RegExp | string) => screen.getByRole("tab", { name });
  return {
    screen,
    status: screen
      .locator("header")
      .getByText(
        /^(Queued|Running|Needs your answer|Paused|Sealing|Waiting for review|Changes requested|Approved|Blocked|Cancelled)$/,
      ),
    activity: tab("Activity"),
    changes: tab("Changes"),
    errors: tab(/^Errors/),
    ask: tab("Ask"),
    usage: tab("Usage"),
    plan: tab("Plan"),
    follow: screen.getByRole("switch", { name: "Follow" }),
    show: (what: "All" | "Agents" | "Gates" | "Commits" | "Errors") =>
      screen.getByRole("radiogroup", { name: "Show" }).getByText(what, { exact: true }).click(),
    log: screen.getByRole("log", { name: "Activity of the build" }),
    answers: screen.getByRole("group", { name: "Answers" }),
    line: screen.getByRole("combobox", { name: /^(Your answer|Message or command)$/ }),
    question: screen.getByRole("textbox", { name: "Question about the build" }),
    /** Selects who the line is sent to. */
    sendTo: (what: "Message the builder" | "Ask about the build") =>
      screen.getByRole("radiogroup", { name: "Send to" }).getByText(what, { exact: true }).click(),
    notepad: screen.getByRole("textbox", { name: "Notepad" }),
    verdict: screen.getByRole("region", { name: "Verdict" }),
    seal: screen.getByRole("region", { name: "Seal", exact: true }),
    reconnecting: screen.getByText("Reconnecting…"),
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

/** The rendered rows, and whether the last one is the list's last. */
const drawnRows = (log: Locator) =>
  log.evaluate((list) => {
    /** Without the time, which is relative. */
    const textOf = (row: HTMLElement) => {
      const copy = row.cloneNode(true) as HTMLElement;
      for (const time of copy.querySelectorAll("time")) time.remove();
      return copy.textContent ?? "";
    };
    return {
      rows: [...list.querySelectorAll<HTMLElement>("[data-item-index] [data-row]")].map(
        (row): DrawnRow => ({
          index: Number(row.closest<HTMLElement>("[data-item-index]")?.dataset.itemIndex),
          key: row.dataset.row ?? "",
          text: textOf(row),
        }),
      ),
      // The padding has the height of the rows that are not rendered.
      isAtEnd:
        list.querySelector<HTMLElement>('[data-testid="virtuoso-item-list"]')?.style
          .paddingBottom === "0px",
    };
  });

/** Stops following, scrolls through the activity and returns all rows. */
export async function allRows(page: Page): Promise<string[]> {
  const { log, follow } = ide(page);
  const scroll = (pages: number) =>
    log.evaluate((list, pages) => {
      list.scrollTop += pages * list.clientHeight;
    }, pages);
  // A list that follows scrolls back to its end.
  await follow.uncheck();
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
        if (isAtEnd && read.at(-1)?.index === rows.at(-1)?.index) return true;
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
