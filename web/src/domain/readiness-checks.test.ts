import { expect, it } from "vitest";
import type { BuildReadiness } from "@/lib/api";
import { readinessChecks } from "./readiness-checks";

type Problem = BuildReadiness["obstacles"][number];

function checks(obstacles: Problem[], warnings: Problem[], isAdmin: boolean) {
  const ready = { model: "m-1", phases: [], needs_limit: false, obstacles, warnings };
  return readinessChecks(ready as unknown as BuildReadiness, "p1", isAdmin);
}

it("shows every area as ready if nothing is missing", () => {
  const states = checks([], [], true).map(({ label, state }) => `${label}: ${state}`);
  expect(states).toEqual([
    "Model: ready",
    "Contracts: ready",
    "Gates: ready",
    "Budget: ready",
    "Repository: ready",
    "Other builds: ready",
  ]);
});

it("sends administrators to the settings, and others to an administrator", () => {
  const missing: Problem = { kind: "model", message: "No model." };
  const [asAdmin] = checks([missing], [], true);
  expect(asAdmin).toMatchObject({ state: "missing", problems: [{ fix: { to: "/settings" } }] });
  const [asUser] = checks([missing], [], false);
  expect(asUser?.problems[0]?.fix).toEqual({
    label: "Ask an administrator to set a model and its key.",
  });
});

it("groups problems by area, and warnings do not prevent a start", () => {
  const found = checks(
    [
      { kind: "gaps", message: "Gaps." },
      { kind: "phases", message: "No phases." },
    ],
    [{ kind: "gates", message: "No pytest." }],
    true,
  );
  expect(found.map(({ state, problems }) => [state, problems.length])).toEqual([
    ["ready", 0],
    ["missing", 2],
    ["warning", 1],
    ["ready", 0],
    ["ready", 0],
    ["ready", 0],
  ]);
});

it("leads to the builds that have to end first", () => {
  const found = checks([{ kind: "other_builds", message: "#1 is not finished." }], [], false);
  const last = found[found.length - 1];
  expect(last).toMatchObject({ label: "Other builds", state: "missing" });
  expect(last?.problems[0]?.fix).toEqual({ label: "Open builds", to: "/projects/p1/builds" });
});
