// A terminal that signs in, approved in the browser.
import { expect, test } from "../support/fixtures";
import { inspect } from "../support/screen";
import { ADMIN } from "../support/server";

interface Started {
  device_code: string;
  user_code: string;
}

test.describe("with a device that waits", () => {
  let device: Started;
  test.beforeEach(async ({ request }) => {
    const data = { device_name: "workshop", scopes: ["build"] };
    device = await (await request.post("/api/device-sign-ins", { data })).json();
  });

  test("approving gives it a key", async ({ adminPage: page, request }) => {
    await page.goto("/device");
    await page.getByRole("textbox", { name: "Code" }).fill("BBBB-BBBB");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("alert")).toContainText("No device waits with this code.");
    await inspect(page, "device-code");
    await page.getByRole("textbox", { name: "Code" }).fill(device.user_code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("workshop")).toBeVisible();
    await expect(page.getByRole("listitem")).toHaveText([
      "View and clone",
      "Start and control builds, answer questions, push",
    ]);
    await expect(page.getByText(ADMIN.email)).toBeVisible();
    await inspect(page, "device-approval");
    await page.getByRole("button", { name: "Approve" }).click();
    await expect(page.getByRole("heading", { name: "Approved" })).toBeVisible();
    await inspect(page, "device-approved");

    const { device_code } = device;
    const polled = await request.post("/api/device-sign-ins/poll", { data: { device_code } });
    const { key } = await polled.json();
    const headers = { authorization: `Bearer ${key.key}` };
    expect((await request.get("/api/projects", { headers })).status()).toBe(200);
    await page.goto("/account");
    await expect(page.getByRole("button", { name: "Revoke workshop" })).toBeVisible();
  });

  test("denying gives it none", async ({ adminPage: page, request }) => {
    await page.goto(`/device?code=${device.user_code}`);
    await page.getByRole("button", { name: "Deny" }).click();
    await expect(page.getByRole("heading", { name: "Denied" })).toBeVisible();
    const { device_code } = device;
    const polled = await request.post("/api/device-sign-ins/poll", { data: { device_code } });
    expect(await polled.json()).toEqual({ status: "denied", key: null });
  });

  test("link with the code leads through the sign-in", async ({ page, server }) => {
    await page.goto(`${server.address}/device?code=${device.user_code}`);
    await page.getByLabel("Email").fill(ADMIN.email);
    await page.getByRole("textbox", { name: "Password" }).fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("button", { name: "Approve" })).toBeVisible();
  });
});
