// The places of the Build IDE, by the names that people and screen readers find them by.
import { expect, type Page } from "@playwright/test";

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
    close: dialog.getByRole("button", { name: "Close the build" }),
  };
}

export const buildPath = ({ project, build }: { project: string; build: string }) =>
  `/projects/${project}/builds/${build}`;

/** Every row of the activity from the first to the last, as somebody sees them who scrolls through. */
export async function allRows(page: Page): Promise<string[]> {
  const { log } = ide(page);
  const drawn = () =>
    log
      .locator("[data-row]")
      .evaluateAll((rows) =>
        rows.map((row) => [(row as HTMLElement).dataset.row, row.textContent] as const),
      );
  const scroll = (by: number) =>
    log.evaluate((list, by) => {
      list.scrollTop += by * list.clientHeight;
      return [list.scrollTop, list.scrollTop + list.clientHeight >= list.scrollHeight - 2] as const;
    }, by);
  await log.hover();
  await page.mouse.wheel(0, -100);
  const first = () => log.locator("[data-row]").first().getAttribute("data-row");
  await expect
    .poll(async () => {
      await scroll(-1_000);
      return first();
    })
    .toBe("e1");
  const rows = new Map<string | undefined, string | null>();
  await expect
    .poll(
      async () => {
        for (const [key, text] of await drawn()) rows.set(key, text);
        const [, isAtEnd] = await scroll(0.5);
        return isAtEnd;
      },
      { timeout: 60_000, intervals: [50] },
    )
    .toBe(true);
  for (const [key, text] of await drawn()) rows.set(key, text);
  return [...rows].map(([key, text]) => `${key} ${text}`);
}
