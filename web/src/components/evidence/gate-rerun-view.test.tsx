import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { GateRerun, RerunGate } from "@/lib/api";
import { renderInApp } from "@/testing/render";
import { GateRerunView } from "./gate-rerun-view";

const gate: RerunGate = {
  gate: "test",
  command: "npm test",
  required: true,
  passed: true,
  passed_at_seal: true,
  exit_code: 0,
  duration_ms: 1_200,
  output: "5 passed",
  output_sha256: "ab",
  sandbox: "strict",
  tests: null,
  failed_tests: [],
};

const rerun: GateRerun = {
  id: "1",
  state: "finished",
  requested_by: "Ada",
  requested_at: "2026-11-20T10:00:00Z",
  finished_at: "2026-11-20T10:01:00Z",
  failure: null,
  results: [gate],
};

it("says that all results are those of the seal, and shows a gate's output", async () => {
  renderInApp(<GateRerunView rerun={rerun} />);
  expect(screen.getByText(/All results are the same as before the seal/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: /Gate test passed/ }));
  expect(screen.getByText("5 passed")).toBeVisible();
});

it("shows the tests of a gate, and the names of those that failed", async () => {
  const tests = { passed: 4, failed: 1, skipped: 0 };
  const failed = { ...gate, passed: false, required: false, tests, failed_tests: ["adds"] };
  renderInApp(<GateRerunView rerun={{ ...rerun, results: [failed] }} />);
  await userEvent.click(screen.getByRole("button", { name: /Gate test failed/ }));
  expect(screen.getByText(/4 tests passed, 1 failed, 0 skipped.*optional/)).toBeVisible();
  expect(screen.getByText("Failed tests: adds")).toBeVisible();
});

it.each<[string, Partial<RerunGate>, string]>([
  ["a failure", { passed: false, exit_code: 1 }, "failed; before the seal it passed"],
  ["a lack of memory", { passed: false, out_of: "memory" }, "ran out of memory: no result"],
])("reports %s as a difference", (_, difference, label) => {
  renderInApp(<GateRerunView rerun={{ ...rerun, results: [{ ...gate, ...difference }] }} />);
  expect(screen.getByText(/1 of 1 result differs from the seal/)).toBeVisible();
  expect(screen.getByText(new RegExp(label))).toBeVisible();
});

it.each<[Partial<GateRerun>, RegExp]>([
  [{ state: "waiting", results: [] }, /Waiting for a worker/],
  [{ state: "running" }, /1 result so far/],
  [{ state: "failed", failure: "no sandbox works", results: [] }, /no sandbox works/],
])("shows the state of a run that is not finished: %o", (state, label) => {
  renderInApp(<GateRerunView rerun={{ ...rerun, ...state }} />);
  expect(screen.getByText(label)).toBeVisible();
});
