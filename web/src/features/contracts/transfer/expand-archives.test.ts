import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { expandArchives } from "./expand-archives";
import { importFiles } from "./import-files";

it("imports the files of an export unchanged", async () => {
  const text = "# Stack\r\n\nPython “3.14”\n";
  const archive = zipSync({
    "contracts/stack.md": strToU8(text),
    "contracts/physics.yaml": strToU8("endpoints: []"),
  });
  const zip = new File([archive as BlobPart], "contracts.zip");
  const { found, leftOut } = importFiles(await expandArchives([zip, new File(["x"], "ui.md")]));
  expect(found.map(({ type }) => type)).toEqual(["stack", "physics", "ui"]);
  expect(leftOut).toEqual([]);
  expect(await found[0]?.file.text()).toBe(text);
});

it("rejects a damaged zip file by name", async () => {
  const damaged = new File(["no zip"], "contracts.zip");
  await expect(expandArchives([damaged])).rejects.toThrow("contracts.zip is not a readable zip");
});
