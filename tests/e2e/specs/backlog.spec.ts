// The backlog of a project, and the board across projects.
import { expect, test } from "../support/fixtures";
import { press } from "../support/keyboard";
import { follow, title } from "../support/navigation";
import { inspect } from "../support/screen";

const SPEC = `# Fines

## Requirements
- FR-1: Late loans cost 1 € a day

## Pass Criteria
- FR-1: four days cost 4 €
`;

const BLUEPRINT = `# Blueprint

## Requirements
- **R-1** (must, stated) Bookings reach 30 days ahead.
- **R-2** (should, stated) A page is at most 100 KB.
`;

test("items are added, ordered with the keyboard and by dragging, and started", async ({
  adminPage: page,
  api,
}) => {
  const { id } = await api.post<{ id: string }>("/api/projects", {
    name: "Library",
    description: "",
  });
  await page.goto(`/projects/${id}/backlog`);
  await expect(title(page, "Backlog")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No items yet" })).toBeVisible();
  await inspect(page, "backlog-empty");

  await page.getByRole("button", { name: "Add item" }).click();
  const dialog = page.getByRole("dialog", { name: "Add item" });
  await dialog.getByRole("button", { name: "Add item" }).click();
  await expect(dialog.getByText("Enter a title")).toBeVisible();
  await dialog.getByLabel("Title").fill("Loans");
  await dialog.getByRole("textbox", { name: "Description" }).fill("Members lend books.");
  await dialog.getByLabel("Scope").fill("src/loans/**");
  await inspect(page, "backlog-dialog");
  await dialog.getByRole("button", { name: "Add item" }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: "Add item" }).click();
  await dialog.getByLabel("Title").fill("Due dates");
  await dialog.getByRole("combobox", { name: "Depends on" }).click();
  await page.getByRole("option", { name: "1 Loans" }).click();
  await dialog.getByLabel("Scope").fill("src/**");
  await dialog.getByRole("button", { name: "Add item" }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: "Add item" }).click();
  await dialog.getByText("Spec", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Spec" }).fill(SPEC);
  await dialog.getByRole("button", { name: "Add item" }).click();
  await expect(dialog).toBeHidden();

  const queued = page.getByRole("list", { name: "Queued" }).getByRole("article");
  const names = async () => (await queued.all()).map((item) => item.getAttribute("aria-label"));
  const order = async () => Promise.all(await names());
  await expect(queued).toHaveCount(3);
  expect(await order()).toEqual(["Item 1 Loans", "Item 2 Due dates", "Item 3 Fines"]);
  await expect(queued.nth(1)).toContainText("After 1 Loans.");
  await expect(queued.nth(1)).toContainText("May change the same files as 1 Loans");

  // By keyboard.
  const actions = page.getByRole("button", { name: "Actions for Fines" });
  await press(actions, "Enter");
  await expect(actions).not.toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitem", { name: "Move up" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(order).toEqual(["Item 1 Loans", "Item 3 Fines", "Item 2 Due dates"]);

  // By dragging.
  await queued.filter({ hasText: "Fines" }).dragTo(queued.filter({ hasText: "Loans" }).first(), {
    targetPosition: { x: 20, y: 4 },
  });
  await expect.poll(order).toEqual(["Item 3 Fines", "Item 1 Loans", "Item 2 Due dates"]);
  await page.reload();
  await expect(queued.first()).toContainText("Fines");

  // A cycle is rejected with its path.
  await page.getByRole("button", { name: "Actions for Loans" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit item 1" });
  await edit.getByRole("combobox", { name: "Depends on" }).click();
  await page.getByRole("option", { name: "2 Due dates" }).click();
  await page.keyboard.press("Escape");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit.getByText(/1 \(Loans\) → 2 \(Due dates\) → 1 \(Loans\)/).first()).toBeVisible();
  await edit.getByRole("button", { name: "Cancel" }).click();

  // Without a model nothing starts, and the item says why.
  await page.getByRole("button", { name: "Start everything that can start" }).click();
  await expect(page.getByText("3 items will start in order.")).toBeVisible();
  const needsYou = page.getByRole("list", { name: "Needs you" });
  await expect(needsYou.getByRole("article", { name: "Item 1 Loans" })).toContainText(
    "no model is configured",
    {
      ignoreCase: true,
      timeout: 30_000,
    },
  );
  await inspect(page, "backlog");
  await page.getByRole("button", { name: "Actions for Loans" }).click();
  await page.getByRole("menuitem", { name: "Do not start" }).click();
  await expect(
    page.getByRole("list", { name: "Queued" }).getByRole("article", { name: "Item 1 Loans" }),
  ).toBeVisible();

  await page.goto("/builds");
  await follow(
    page.getByRole("link", { name: "Backlogs of all projects" }),
    title(page, "Backlogs of all projects"),
  );
  await expect(page.getByRole("article", { name: "Item 2 Due dates" })).toContainText("Library");
  await inspect(page, "all-backlogs");

  await page.goto(`/projects/${id}/backlog`);
  await page.getByRole("button", { name: "Actions for Loans" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("article", { name: "Item 1 Loans" })).toBeHidden();
});

test("requirements become items once", async ({ adminPage: page, api }) => {
  const { id } = await api.post<{ id: string }>("/api/projects", {
    name: "Rooms",
    description: "",
  });
  await api.put(`/api/projects/${id}/contracts/blueprint`, { content: BLUEPRINT });
  const create = async () => {
    await page.goto(`/projects/${id}/requirements`);
    await page.getByRole("button", { name: "Create backlog items" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create items" }).click();
    await expect(title(page, "Backlog")).toBeVisible();
    await expect(page.getByRole("article")).toHaveCount(2);
  };
  await create();
  await expect(page.getByText("2 items added to the backlog.")).toBeVisible();
  await expect(page.getByRole("article").first()).toContainText(
    "R-1: Bookings reach 30 days ahead",
  );
  await create();
  await expect(page.getByText("0 items added to the backlog.")).toBeVisible();
});
