import { expect, it } from "vitest";
import { INHERITED_LIMITS, limitSource } from "./budget-limits";

const usd = (usd_micros: number | "unlimited" | null) => ({ ...INHERITED_LIMITS, usd_micros });

it.each([
  [null, null, "Default"],
  [5, null, "Installation"],
  [null, 3, "Project"],
  [5, 3, "Project"],
  [5, 9, "Installation"],
  [5, "unlimited", "Installation"],
  ["unlimited", 3, "Project"],
  [null, "unlimited", "Project"],
] as const)("names the level whose limit applies: %s and %s", (installation, project, source) => {
  const levels = { installation: usd(installation), project: usd(project) };
  expect(limitSource("usd_micros", levels)).toBe(source);
});
