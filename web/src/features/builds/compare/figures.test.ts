import { expect, it } from "vitest";
import type { ComparedBuild } from "./api";
import { figuresOf } from "./figures";

const build = (part: Partial<ComparedBuild>) =>
  ({
    score: 90,
    phases_done: 4,
    replies: 20,
    commit_count: 5,
    error_count: 3,
    open_errors: 0,
    ...part,
    spent: {
      working_ms: 60_000,
      tokens_in: 1_000,
      tokens_out: 500,
      usd_micros: 700_000,
      clarifications: 1,
      ...part.spent,
    },
  }) as ComparedBuild;

const row = (from: ComparedBuild, to: ComparedBuild, label: string) => {
  const found = figuresOf(from, to).find((figure) => figure.label === label);
  return found && [found.from, found.to, found.difference];
};

it("shows what grew and what shrank", () => {
  const spent = { ...build({}).spent, usd_micros: 200_000, working_ms: 90_000 };
  const [from, to] = [build({}), build({ spent, replies: 20 })];
  expect(row(from, to, "Cost")).toEqual(["$0.70", "$0.20", "−$0.50"]);
  expect(row(from, to, "Working time")).toEqual(["1m 00s", "1m 30s", "+30s"]);
  expect(row(from, to, "Replies of models")).toEqual(["20", "20", ""]);
});

it("has no difference without a score on both sides", () => {
  expect(row(build({}), build({ score: null }), "Score")).toEqual(["90", "none", ""]);
});
