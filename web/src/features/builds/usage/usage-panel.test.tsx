import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { BuildUsage } from "@/lib/api";
import { renderInApp } from "@/testing/render";
import { UsageView } from "./usage-panel";

const counts = {
  runs: 2,
  turns: 8,
  tokens_in: 20_000,
  tokens_out: 600,
  cache_read: 6_000,
  cache_write: 0,
  cost_usd_micros: 120_000,
};
const usage: BuildUsage = {
  total: counts,
  models: [{ role: "scout", model: "m-1", ...counts }],
  phases: [],
  contracts: [
    {
      role: "scout",
      contract: "phases",
      version: 2,
      source: "snapshot",
      tokens: 308,
      reads: 2,
      carried: 6,
    },
  ],
  delivery: {
    pinned: 9,
    pinned_tokens: 1_669,
    once: { on_demand: 616, pushed: 3_338 },
    sent: { on_demand: 1_848, pushed: 13_352 },
  },
  questions: null,
};

it("shows the same numbers in charts and tables", () => {
  renderInApp(<UsageView usage={usage} />);
  expect(screen.getAllByText("26K in · 600 out · $0.12")).toHaveLength(2);
  const models = screen.getByRole("table", { name: "Tokens by role and model" });
  const cells = within(models).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual([
    "20,000",
    "0",
    "6,000",
    "600",
    "26K in · 600 out · $0.12",
  ]);
  expect(screen.getByText(/14% of full inclusion/)).toBeInTheDocument();
  expect(screen.getByText(/18% of full inclusion/)).toBeInTheDocument();
  expect(screen.getByText(/9 pinned contracts of 1,669 tokens/)).toBeInTheDocument();
  const read = screen.getByRole("row", { name: /Phases v2/ });
  expect(
    within(read)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["Scout", "2", "308"]);
});

it("explains what will appear before there is any usage", () => {
  const nothing = { ...usage, total: { ...counts, runs: 0, turns: 0 } };
  renderInApp(<UsageView usage={nothing} />);
  expect(screen.getByText("No usage yet")).toBeInTheDocument();
});

it("shows questions about the build apart from the total", () => {
  const asked = {
    question_count: 2,
    tokens_in: 1_000,
    tokens_out: 50,
    cache_read: 0,
    cache_write: 0,
  };
  const { rerender } = render(view({ ...asked, cost_usd_micros: 20_000 }));
  const section = screen.getByRole("region", { name: "Questions about this build" });
  expect(section).toHaveTextContent("$0.02");
  expect(screen.getByRole("region", { name: "Total usage" })).toHaveTextContent("$0.12");
  rerender(view({ ...asked, cost_usd_micros: null }));
  expect(section).toHaveTextContent("Price unknown");
});

const view = (questions: BuildUsage["questions"]) => (
  <MantineProvider env="test">
    <UsageView usage={{ ...usage, questions }} />
  </MantineProvider>
);
