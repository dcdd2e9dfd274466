// Contracts: views, versions, findings, import and export.
import { contract, demoContracts } from "../support/contracts";
import { expect, test } from "../support/fixtures";
import { follow, title } from "../support/navigation";
import { inspect } from "../support/screen";

test.describe.configure({ timeout: 400_000 });

test("contracts are shown as documents and as text", async ({ adminPage: page, api }) => {
  const { page: contracts } = await demoContracts(api);
  const { nine, findings, tab, text } = contract(page);
  await page.goto(contracts);
  await expect(nine.getByRole("listitem")).toHaveCount(9);
  await expect(nine.getByRole("listitem").first()).toContainText("v1 · demo");
  await expect(findings.getByText("No findings")).toBeVisible();
  await inspect(page, "contracts");

  await follow(
    nine.getByRole("link", { name: /Schema/ }),
    page.getByRole("cell", { name: "books[].loan.since" }),
  );
  await inspect(page, "contract-document");
  await tab("Text").click();
  await expect(text).toContainText("# Schema");

  await page.goto(`${contracts}/boundaries?view=text`);
  await expect(text).toContainText('"layers"');
  await inspect(page, "contract-text");
  await page.getByTitle("Fold line", { exact: true }).first().click();
  await expect(text).not.toContainText('"layers"');

  await page.goto(`${contracts}/nonsense`);
  await expect(page.getByRole("heading", { name: "This contract does not exist" })).toBeVisible();
});

test("examples are shown until contracts are written", async ({ adminPage: page, api }) => {
  const { id } = await api.post<{ id: string }>("/api/projects", { name: "Garden diary" });
  const { nine, findings, tab } = contract(page);
  await page.goto(`/projects/${id}/contracts`);
  await expect(nine.getByText("Not written yet")).toHaveCount(9);
  await expect(findings.getByText("No contracts to compare")).toBeVisible();
  await expect(page.getByRole("button", { name: "Download zip" })).toBeDisabled();
  await follow(
    nine.getByRole("link", { name: /Manifesto/ }),
    page.getByRole("heading", { name: "Not written yet", exact: true }),
  );
  await inspect(page, "contract-unwritten");
  await page.getByText("Show example").click();
  await tab("History").click();
  await expect(page.getByText("No versions yet")).toBeVisible();
  await inspect(page, "contract-example");
});

test("three contracts have diagrams", async ({ adminPage: page, api }) => {
  const { page: contracts } = await demoContracts(api);
  await page.goto(`${contracts}/physics`);
  await expect(page.getByRole("table", { name: "Endpoints" })).toContainText("shelf add TITLE");
  await inspect(page, "contract-endpoints");
  await page.goto(`${contracts}/boundaries`);
  await expect(page.getByText("May import core; external: node:fs")).toBeVisible();
  await inspect(page, "contract-layers");
  await page.goto(`${contracts}/phases?view=picture`);
  await expect(page.getByRole("heading", { name: "Due dates" })).toBeVisible();
  await inspect(page, "contract-timeline");
});

test("HTML in a contract is shown as text, and no image is loaded", async ({
  adminPage: page,
  api,
}) => {
  const { page: contracts, read, write } = await demoContracts(api);
  const { content } = await read("ui");
  const hostile = "<img src=x onerror=alert(1)> ![a plan](https://example.org/plan.png)";
  await write("ui", `${content}\n\n${hostile}\n`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${contracts}/ui`);
  await expect(page.getByText("<img src=x onerror=alert(1)>")).toBeVisible();
  await expect(page.getByRole("main").locator("img")).toHaveCount(0);
  expect(asked.filter((url) => url.includes("example.org"))).toEqual([]);
});

test("versions are compared and restored", async ({ adminPage: page, api }) => {
  const { page: contracts, read, write } = await demoContracts(api);
  const { content } = await read("stack");
  await write("stack", `${content}\nAnd nothing else.\n`);
  await write("stack", `${content}\nAnd a little else.\n`);
  const { versions, changes } = contract(page);
  await page.goto(`${contracts}/stack?view=history`);
  await expect(versions).toHaveCount(3);
  await expect(versions.first()).toContainText("edited by");
  await expect(changes).toContainText("And a little else.");
  await expect(changes).toContainText("And nothing else.");
  await page.getByLabel("Compare").selectOption("1");
  await expect(changes).not.toContainText("And nothing else.");
  await expect(changes).toContainText("And a little else.");
  await inspect(page, "contract-history");

  await page.getByRole("button", { name: "Restore version 1" }).click();
  await expect(page.getByText("Version 1 was restored as version 4.")).toBeVisible();
  await expect(versions).toHaveCount(4);
  expect(await read("stack")).toMatchObject({ version: 4, content });

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Version 3 was restored as version 5.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toBeHidden();
  const undone = await read("stack");
  expect(undone.version).toBe(5);
  expect(undone.content).toContain("And a little else.");
});

test("contracts without conflicts say so", async ({ adminPage: page, api }) => {
  const { page: contracts, read, write } = await demoContracts(api);
  const { content } = await read("phases");
  const covered = "tests for both, and for `shelf add` and `shelf lend`";
  await write("phases", content.replace("tests for both", covered));
  await page.goto(contracts);
  await expect(contract(page).findings.getByText("No findings")).toBeVisible();
});

test("finding links to both of its sides", async ({ adminPage: page, api }) => {
  const { page: contracts, read, write } = await demoContracts(api);
  const { content } = await read("physics");
  await write("physics", `${content}shapes:\n  Invoice: { total: number }\n`);
  const { findings, nine, marked } = contract(page);
  await page.goto(contracts);
  const physics = nine.getByRole("listitem").filter({ hasText: "Physics" });
  await expect(physics).toContainText("1 finding");
  await expect(findings.getByText("Invoice")).toBeVisible();
  await inspect(page, "contracts-findings");
  const invoice = findings.getByRole("listitem").filter({ hasText: "Invoice" });
  await follow(invoice.getByRole("link", { name: /^Physics, line/ }), marked);
  await expect(marked).toContainText("Invoice");
  await page.getByText(/^1 finding for this contract/).click();
  await follow(page.getByRole("link", { name: /^Other side: Schema/ }), title(page, "Schema"));
  await expect(marked).toContainText("# Schema");
});

test("contracts are exported and imported as files", async ({ adminPage: page, api }) => {
  const { page: contracts, read } = await demoContracts(api);
  await page.goto(contracts);
  const archive = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download zip" }).click();
  expect((await archive).suggestedFilename()).toBe("contracts.zip");

  const file = (name: string, text: string) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from(text),
  });
  const manifesto = file("manifesto.md", "# Manifesto\n\nKeep it small and kind.\n");
  const choose = page.locator("input[type=file]");
  const dialog = page.getByRole("dialog", { name: "Import contracts" });
  await choose.setInputFiles([
    manifesto,
    file("physics.yaml", "endpoints: []\n"),
    file("notes.txt", "not a contract"),
  ]);
  await expect(dialog.getByText("Replaces version 1")).toHaveCount(2);
  await expect(dialog.getByText("unknown contract name")).toBeVisible();
  await dialog.getByRole("button", { name: "Import 2 contracts" }).click();
  await expect(dialog.getByText(/^line 1: `endpoints` is empty/)).toBeVisible();
  await inspect(page, "contracts-import");
  expect((await read("manifesto")).version).toBe(1);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await choose.setInputFiles([manifesto]);
  await dialog.getByRole("button", { name: "Import 1 contract" }).click();
  await expect(dialog.getByText(/less than a fifth of the current text/)).toBeVisible();
  expect((await read("manifesto")).version).toBe(1);
  await dialog.getByRole("button", { name: "Import anyway" }).click();
  await expect(page.getByText("1 contract imported.")).toBeVisible();
  await expect(
    contract(page).nine.getByRole("listitem").filter({ hasText: "Manifesto" }),
  ).toContainText("v2 · imported");
});
