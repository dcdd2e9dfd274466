import { expect, it } from "vitest";
import type { BuildSummary } from "@/lib/api";
import { currentStep, type ProjectFacts, projectSteps } from "./project-steps";

const build = (status: BuildSummary["status"], review: BuildSummary["review"] = null) =>
  ({ status, review, phases_done: 1, phase_count: 3 }) as BuildSummary;

it.each<[Partial<ProjectFacts>, string]>([
  [{}, "describe"],
  [{ answered: true }, "contracts"],
  // Contracts can be written or imported without a questionnaire.
  [{ described: true }, "build"],
  [{ described: true, latest: build("blocked") }, "build"],
  [{ described: true, latest: build("abandoned") }, "build"],
  [{ described: true, latest: build("sealed", "waiting") }, "review"],
  [{ described: true, latest: build("sealed", "changes_requested") }, "review"],
  [{ described: true, latest: build("sealed", "approved") }, "deliver"],
])("%o is at the step %s", (changed, step) => {
  expect(currentStep({ answered: false, described: false, latest: undefined, ...changed })).toBe(
    step,
  );
});

it("has one current step, and says where each stands", () => {
  const steps = projectSteps({ answered: true, described: true, latest: build("running") });
  expect(steps.map(({ state }) => state)).toEqual(["done", "done", "current", "ahead", "ahead"]);
  expect(steps[2]?.note).toBe("1 of 3 phases");
});
