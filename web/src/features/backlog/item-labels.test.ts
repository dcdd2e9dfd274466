import { expect, it } from "vitest";
import type { BacklogItem } from "./api";
import { itemHint, namesOf, placeAfterStep } from "./item-labels";

const item = (part: Partial<BacklogItem>): BacklogItem => ({
  id: "1",
  project_id: "p",
  project_name: "Library",
  project_slug: "library",
  number: 1,
  title: "Loans",
  description: "",
  has_spec: false,
  scope: [],
  external_id: null,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  state: "queued",
  start_requested: false,
  is_startable: true,
  start_error: null,
  depends_on: [],
  blocked_by: [],
  overlaps_with: [],
  attempts: 0,
  build: null,
  ...part,
});

it("names the items that another one waits for", () => {
  const loans = item({});
  const dates = item({ id: "2", number: 2, title: "Due dates", blocked_by: ["1", "9"] });
  expect(namesOf(["1", "9"], [loans, dates])).toBe("1 Loans, 1 other item");
  expect(itemHint(dates, [loans, dates])).toBe("After 1 Loans, 1 other item.");
  expect(itemHint(loans, [loans])).toBe("");
  expect(itemHint(item({ start_requested: true }), [])).toMatch(/^Starts as soon as/);
  const build = { status: "running", verdict: null } as BacklogItem["build"];
  const running = item({ id: "2", number: 2, title: "Fines", state: "running", build });
  const overlapping = item({ start_requested: true, overlaps_with: ["2"] });
  expect(itemHint(overlapping, [overlapping, running])).toBe(
    "After 2 Fines, which may change the same files.",
  );
  expect(itemHint(item({ start_error: "No model is set." }), [])).toMatch(/No model is set/);
});

it("moves an item over its neighbour in the column", () => {
  const all = ["a", "hidden", "b", "c"];
  const column = ["a", "b", "c"];
  expect(placeAfterStep("b", -1, column, all)).toBe("a");
  expect(placeAfterStep("a", 1, column, all)).toBe("c");
  expect(placeAfterStep("b", 1, column, all)).toBeNull();
  expect(placeAfterStep("a", -1, column, all)).toBeUndefined();
  expect(placeAfterStep("c", 1, column, all)).toBeUndefined();
});
