import { beforeEach, expect, it } from "vitest";
import type { Contract } from "@/lib/api";
import { createUnsavedText } from "./unsaved-text";

const contract: Contract = {
  type: "stack",
  version: 3,
  source: "project",
  format: "markdown",
  content: "saved",
  gap_count: 0,
  phases: null,
  updated_at: null,
};
const open = () => createUnsavedText("p", "stack");

beforeEach(() => localStorage.clear());

it("restores unsaved text with the version that it is based on", () => {
  expect(open().keep("half a sen", contract)).toBe(true);
  expect(open().read({ ...contract, version: 4 })).toMatchObject({
    draft: "half a sen",
    base: { version: 3 },
  });
});

it("keeps no text that equals the saved one", () => {
  const unsaved = open();
  unsaved.keep("half a sen", contract);
  expect(unsaved.keep("saved", contract)).toBe(false);
  expect(open().read(contract)).toBeNull();
});
