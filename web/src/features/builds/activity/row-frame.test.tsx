import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Payload } from "@/domain/feed/event";
import { event } from "@/testing/events";
import { renderInApp } from "@/testing/render";
import { groupRows } from "./group-rows";
import { matches, NO_FILTER } from "./row-filter";
import { RowFrame } from "./row-frame";

it("keeps other rows if one payload has an unknown form", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const rows = groupRows([
    event(1, "build_error_tracked", { message: { text: "an object" } } as unknown as Payload),
    event(2, "build_plan_updated", { steps: 3 } as unknown as Payload),
    event(3, "build_log", { message: "All is well" }),
  ]);
  renderInApp(
    rows.map((row) => (
      <RowFrame key={row.key} item={row} marked={false} onLink={() => {}} onToggle={() => {}} />
    )),
  );
  expect(screen.getByText("Event 1 cannot be displayed.")).toBeVisible();
  expect(screen.getByText("Event 2 (build_plan_updated) cannot be displayed.")).toBeVisible();
  expect(screen.getByText("All is well")).toBeVisible();
  expect(rows.filter((row) => matches(row, { ...NO_FILTER, text: "well" }))).toHaveLength(1);
});
