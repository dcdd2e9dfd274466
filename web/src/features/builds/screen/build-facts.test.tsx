import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Build } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { BuildFacts } from "./build-facts";

const shown = (more: Partial<Build>) => {
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
    executor: "builtin",
    phase_executors: [],
    ...more,
  } as unknown as Build;
  renderWithCache(<BuildFacts build={build} fetchedAt={0} />);
};

it("shows how many phases are done, also if none is", () => {
  shown({});
  expect(screen.getByText("0 of 2")).toBeVisible();
});

it("names the agents of phases that have their own", () => {
  shown({ phase_executors: [{ phase: 1, executor: "own_editor" }] });
  expect(screen.getByText(/^Built-in agent/)).toHaveTextContent(
    "Built-in agentPhase 1: Own editor",
  );
});
