import { expect, it } from "vitest";
import { estimateBasis, estimateRange } from "./build-estimate";

const estimate = {
  tokens: { low: 24_000, high: 156_000 },
  usd_micros: { low: 50_000, high: 600_000 },
  basis: "contracts" as const,
  earlier_builds: 0,
  phases: 1,
  contract_tokens: 1_000,
};

it("shows the range in tokens and dollars", () => {
  expect(estimateRange(estimate)).toBe("24K to 156K tokens, $0.05 to $0.60");
  expect(estimateRange({ ...estimate, usd_micros: null })).toBe("24K to 156K tokens");
  expect(estimateRange({ ...estimate, usd_micros: { low: 0, high: 0 } })).toBe(
    "24K to 156K tokens",
  );
});

it("states what the estimate is based on", () => {
  expect(estimateBasis(estimate)).toBe("based on 1 phase and 1K tokens of contracts");
  expect(estimateBasis({ ...estimate, basis: "earlier_builds", earlier_builds: 2 })).toBe(
    "based on 2 earlier sealed builds of this project",
  );
});
