// Requirements: assumptions, their confirmation, and the matrix of a build.
import { expect, test, testWithSealedDemo } from "../support/fixtures";
import { buildPath, ide } from "../support/ide";
import { title } from "../support/navigation";
import { inspect } from "../support/screen";

const BLUEPRINT = `# Blueprint

## Requirements
- **R-1** (must, assumed) Bookings reach 30 days ahead.
  - R-1.a Given a day in 31 days, when it is booked, then it is refused.
- **R-2** (should, assumed) A page is at most 100 KB.
- **R-3** (must, stated) A loan ends on a day that has a name.
`;

interface ProjectRequirements {
  items: { id: string; source: string; text: string }[];
}

test("assumptions are confirmed, changed and removed on one page", async ({
  adminPage: page,
  api,
}) => {
  const { id } = await api.post<{ id: string }>("/api/projects", {
    name: "Rooms",
    description: "",
  });
  await page.goto(`/projects/${id}/requirements`);
  await expect(title(page, "Requirements")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No blueprint yet" })).toBeVisible();

  await api.put(`/api/projects/${id}/contracts/blueprint`, { content: BLUEPRINT });
  await page.reload();
  const assumptions = page.getByRole("region", { name: "Assumptions" });
  await expect(assumptions.getByRole("listitem").filter({ hasText: "R-1" })).toBeVisible();
  await inspect(page, "requirements");

  await page.getByRole("button", { name: "Confirm R-1" }).click();
  await expect(page.getByText("R-1 is confirmed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Confirm R-1" })).toBeHidden();

  await page.getByRole("button", { name: "Change R-2" }).click();
  const dialog = page.getByRole("dialog", { name: "Change R-2" });
  await dialog.getByLabel("Requirement").fill("A page is at most 200 KB.");
  await dialog.getByRole("button", { name: "Save and confirm" }).click();
  await expect(dialog).toBeHidden();
  await expect(assumptions).toBeHidden();
  const all = page.getByRole("region", { name: "0 of 3 requirements proven" });
  await expect(all.getByText("A page is at most 200 KB.")).toBeVisible();

  const { items } = await api.get<ProjectRequirements>(`/api/projects/${id}/requirements`);
  expect(items.map(({ id, source }) => [id, source])).toEqual([
    ["R-1", "stated"],
    ["R-2", "stated"],
    ["R-3", "stated"],
  ]);
  expect(items[1]?.text).toBe("A page is at most 200 KB.");
});

testWithSealedDemo(
  "sealed build shows the proof of each requirement",
  async ({ adminPage: page, sealedDemo: started }) => {
    await page.goto(`${buildPath(started)}?tab=requirements`);
    const { screen } = ide(page);
    await expect(screen.getByRole("heading", { name: "4 of 4 requirements proven" })).toBeVisible();
    await inspect(page, "requirements-of-build");

    await screen.getByRole("textbox", { name: "Changed file" }).fill("src/report.js");
    await expect(screen.getByText("R-2", { exact: true })).toBeVisible();
    await expect(screen.getByText("R-1", { exact: true })).toBeHidden();

    await page.goto(`/projects/${started.project}/requirements`);
    await expect(page.getByRole("region", { name: "4 of 4 requirements proven" })).toBeVisible();
  },
);
