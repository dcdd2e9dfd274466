import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { generatedContract, generation } from "@/testing/generations";
import { renderInApp } from "@/testing/render";
import { Tokens } from "./token-chart";
import { totalLabel } from "./token-labels";

const counted = [
  generatedContract({ type: "manifesto", sent_tokens: 800, pasted_tokens: 1_000 }),
  generatedContract({ type: "phases", sent_tokens: 1_200, pasted_tokens: 19_000 }),
  generatedContract({ type: "ui" }),
];

it("shows the same numbers in charts and tables", () => {
  renderInApp(<Tokens generation={generation(0, { contracts: counted })} />);
  expect(
    screen.getByText("2 contracts: 2,000 tokens sent, 10% of full inclusion (20,000)."),
  ).toBeInTheDocument();
  const table = screen.getByRole("table", { name: "Tokens by contract" });
  const cells = within(within(table).getByRole("row", { name: /Phases/ })).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual(["1,200", "19,000", "1.2K of 19K · 6%"]);
  expect(within(table).queryByText("UI")).toBeNull();
});

it.each([
  [3, 1_000, "less than 1% of full"],
  [1_200, 1_000, "more than with full inclusion (1,000)"],
])("tells %i beside %i honestly", (sent_tokens, pasted_tokens, words) => {
  expect(totalLabel({ contracts: [generatedContract({ sent_tokens, pasted_tokens })] })).toContain(
    words,
  );
});

it("says that drafts used no tokens", () => {
  const contracts = [generatedContract({ status: "written", source: "draft" })];
  renderInApp(<Tokens generation={generation(0, { status: "done", contracts })} />);
  expect(screen.getByText(/^Drafts are created without a model/)).toBeInTheDocument();
});
