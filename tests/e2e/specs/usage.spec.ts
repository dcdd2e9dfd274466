// Usage of a build, while it runs and after it finished.
import { expect, test } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";

interface Usage {
  total: { turns: number };
  models: { role: string; turns: number; tokens_in: number }[];
  contracts: { contract: string }[];
  delivery: { pinned: number; sent: { on_demand: number; pushed: number } };
}

test("usage grows during the build and ends with the API's numbers", async ({
  adminPage: page,
  api,
}) => {
  const started = await api.startDemo();
  await api.reaches(started.build, "awaiting_input");
  await page.goto(buildPath(started));
  const build = ide(page);
  await build.usage.click();
  await expect(page).toHaveURL(/tab=usage/);
  const models = build.screen.getByRole("table", { name: "Tokens by role and model" });
  await expect(models.getByRole("rowheader")).toHaveText([/^Scout, offline/, /^Coder, offline/]);

  await api.answer(started.build, "Two weeks");
  await api.reaches(started.build, "sealed");
  // Updated by the feed, without a reload.
  await expect(models.getByRole("rowheader")).toHaveText([
    /^Scout, offline/,
    /^Coder, offline/,
    /^Auditor, offline/,
  ]);
  const used = await api.get<Usage>(`/api/builds/${started.build}/usage`);
  const count = new Intl.NumberFormat("en");
  const coder = used.models.find(({ role }) => role === "coder");
  const row = models.getByRole("row", {
    name: new RegExp(`Coder, offline, ${coder?.turns} replies`),
  });
  await expect(row.getByRole("cell").first()).toHaveText(count.format(coder?.tokens_in ?? 0));

  const sent = build.screen.getByRole("table", {
    name: "Contract tokens: Sent in all requests",
  });
  const { on_demand, pushed } = used.delivery.sent;
  const ways = sent.getByRole("row").filter({ has: page.getByRole("rowheader") });
  await expect(ways.first().getByRole("cell").first()).toHaveText(count.format(on_demand));
  await expect(ways.last().getByRole("cell").first()).toHaveText(count.format(pushed));
  await expect(build.screen.getByText(/9 pinned contracts/)).toBeVisible();

  const read = build.screen.getByRole("region", { name: "Contracts read" });
  const readers = read.getByRole("row").filter({ has: page.getByRole("rowheader") });
  await expect(readers).toHaveCount(used.contracts.length);
});
