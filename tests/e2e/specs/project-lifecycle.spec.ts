// The life of a project: it is archived, found again, and deleted.
import { expect, test } from "../support/fixtures";
import { follow, title } from "../support/navigation";
import { inspect } from "../support/screen";

test("project is archived, found, unarchived and deleted", async ({ adminPage: page, api }) => {
  await api.post("/api/projects", { name: "Garden diary", description: "" });
  await page.goto("/projects/garden-diary/settings");
  await inspect(page, "project-settings-lifecycle");
  await page.getByRole("button", { name: "Archive project" }).click();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await expect(page.getByText("Project archived.")).toBeVisible();

  await follow(page.getByRole("link", { name: "ForgeGuard" }), title(page, "Projects"));
  await expect(page.getByRole("link", { name: "Garden diary" })).toHaveCount(0);
  await page.getByRole("button", { name: "Archived projects (1)" }).click();
  await inspect(page, "projects-archived");
  await follow(
    page.getByRole("link", { name: "Garden diary" }),
    page.getByRole("navigation", { name: "Breadcrumb" }).getByText("Garden diary"),
  );

  await page.goto("/projects/garden-diary/settings");
  await page.getByRole("button", { name: "Unarchive project" }).click();
  await expect(page.getByText("Project unarchived.")).toBeVisible();
  await page.getByRole("button", { name: "Delete project" }).click();
  const dialog = page.getByRole("dialog", { name: /Delete/ });
  await inspect(page, "project-delete");
  await dialog.getByRole("textbox").fill("Garden");
  await expect(dialog.getByRole("button", { name: /Delete/ })).toBeDisabled();
  await dialog.getByRole("textbox").fill("Garden diary");
  await dialog.getByRole("button", { name: /Delete/ }).click();
  await expect(title(page, "Projects")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Archived projects/ })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Garden diary" })).toHaveCount(0);
});
