// The places of the Build IDE, by the names that people and screen readers find them by.
import type { Page } from "@playwright/test";

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
