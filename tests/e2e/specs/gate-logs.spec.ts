// Output of a gate that is too long for the activity list.
import { readFile } from "node:fs/promises";
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { inspect } from "../support/screen";

const LAST_LINE = "20000";

test("complete output of a gate is opened and downloaded", async ({ adminPage: page, api }) => {
  const project = await api.demo();
  const gate = { name: "noise", command: `seq ${LAST_LINE}`, required: true, network: false };
  await api.put(`/api/projects/${project}/settings`, { gates: [{ ...gate, timeout_s: 60 }] });
  const started = await api.startDemo();
  await page.goto(buildPath(started));
  const { log, show } = ide(page);
  await show("Gates");
  // It runs on the baseline before the first agent.
  await log
    .getByRole("button", { name: /^Gate noise passed/ })
    .first()
    .click();
  const link = log.getByRole("link", { name: "Open full log" });
  await expect(link).toBeVisible();
  await inspect(page, "gate-log");

  const opening = page.waitForEvent("popup");
  await link.click();
  const opened = await opening;
  await expect(opened.getByText(`${LAST_LINE}`)).toBeVisible();
  await opened.close();

  const downloading = page.waitForEvent("download");
  const download = log.getByRole("link", { name: "Download log" });
  await download.click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/^build-[0-9a-f-]{36}-gate-\d+\.txt$/);
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([Number(LAST_LINE), LAST_LINE]);
});
