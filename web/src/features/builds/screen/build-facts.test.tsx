import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Build } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { BuildFacts } from "./build-facts";

it("shows how many phases are done, also if none is", () => {
  const build = {
    id: "b1",
    status: "running",
    phases: [
      { number: 0, title: "Lists", status: "running", plan: [] },
      { number: 1, title: "Reports", status: "pending", plan: [] },
    ],
    phases_done: 0,
    phase_count: 2,
    spent: { tokens_in: 0, tokens_out: 0, usd_micros: 0 },
    budgets: {},
    working_ms: 0,
  } as unknown as Build;
  renderWithCache(<BuildFacts build={build} fetchedAt={0} />);
  expect(screen.getByText("0 of 2")).toBeVisible();
});
