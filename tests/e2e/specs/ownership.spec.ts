// What is not yours does not exist.
import { expect, signIn, test } from "../support/fixtures";
import { buildPath } from "../support/ide";

const STRANGER = { email: "stranger@example.org", password: "a password of their own" };

test("another user sees neither the project nor its build", async ({ page, server, api }) => {
  const started = await api.startDemo();
  await api.post("/api/users", { ...STRANGER, name: "Stranger", role: "user" });
  await signIn(page, server, STRANGER);

  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  await page.goto(`/projects/${started.project}`);
  await expect(page.getByRole("heading", { name: "This project does not exist" })).toBeVisible();
  await page.goto(buildPath(started));
  await expect(page.getByText("does not exist").first()).toBeVisible();
  await expect(page.getByText("Shelf")).toHaveCount(0);
});
