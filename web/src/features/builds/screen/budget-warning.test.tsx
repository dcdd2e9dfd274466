import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Build } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { BudgetWarning } from "./budget-warning";

const build = (status: string, warned_limits: string[]) =>
  ({ status, warned_limits }) as unknown as Build;

it("names the limits that are nearly used up", () => {
  renderWithCache(<BudgetWarning build={build("running", ["usd", "clarifications"])} />);
  expect(screen.getByRole("status")).toHaveTextContent("At least 80 % used: cost, questions.");
});

it("shows nothing without a warning, and after the build has ended", () => {
  renderWithCache(<BudgetWarning build={build("running", [])} />);
  renderWithCache(<BudgetWarning build={build("sealed", ["usd"])} />);
  expect(screen.queryByRole("status")).toBeNull();
});
