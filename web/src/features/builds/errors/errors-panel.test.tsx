import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { ProjectRole } from "@/domain/project-access";
import type { BuildError, Project } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import ErrorsPanel from "./errors-panel";

afterEach(() => vi.unstubAllGlobals());

const error = (more: Partial<BuildError> = {}) =>
  ({
    id: "e1",
    build_id: "b1",
    source: "gate:test",
    severity: "error",
    message: "adds wrongly",
    occurrence_count: 1,
    resolved: false,
    resolution_method: null,
    resolution_summary: null,
    last_seen: "2026-11-21T20:25:00Z",
    ...more,
  }) as BuildError;

const NO_LIMITS = {
  iterations: null,
  minutes: null,
  tokens: null,
  usd_micros: null,
  clarifications: null,
  permission_prompts: null,
};
const READY = {
  budgets: NO_LIMITS,
  installation_limits: NO_LIMITS,
  project_limits: NO_LIMITS,
  needs_limit: false,
  estimate: null,
  plan_approval: "never",
  executor: "builtin",
  executors: [{ executor: "builtin", label: "Built-in agent", version: null, obstacle: null }],
  model: "m-1",
  models: [],
  phases: [],
  obstacles: [],
  warnings: [],
};
const BRANCHES = [
  { name: "main", sha: "aaaaaaaaaa", is_default: true, build_number: null, build_title: null },
  { name: "forge/build-1", sha: "bbbb", is_default: false, build_number: 1, build_title: "Greet" },
];

async function dismiss() {
  await userEvent.click(await screen.findByRole("button", { name: /^Dismiss/ }));
  const dialog = await screen.findByRole("dialog", { name: "Dismiss error" });
  await userEvent.type(within(dialog).getByRole("textbox"), "it is known");
  await userEvent.click(within(dialog).getByRole("button", { name: "Dismiss" }));
}

/** A server with one error that can be dismissed and reopened. */
function serving(status = "blocked") {
  const asked: string[] = [];
  let kept = error();
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    const how = new URL(url).pathname.split("/").at(-1);
    if (method === "POST") asked.push(how ?? "");
    if (how === "b1") {
      return Response.json({ id: "b1", project_id: "p1", status, branch: "forge/build-1" });
    }
    if (how === "build-readiness") return Response.json(READY);
    if (how === "branches") return Response.json({ items: BRANCHES });
    if (how === "snapshots") return Response.json({ items: [], next: null });
    if (how === "open-items") {
      return Response.json({ criteria: [], weakened_tests: [], findings: [] });
    }
    if (how === "dismiss") kept = error({ resolved: true, resolution_method: "dismissed" });
    if (how === "reopen") kept = error();
    return Response.json(method === "POST" ? kept : { items: [kept], next: null });
  });
  return asked;
}

it("reopens a dismissed error from the notice and from the resolved errors", async () => {
  const asked = serving();
  renderWithCache(<ErrorsPanel projectId="p1" buildId="b1" />);
  await dismiss();
  expect(await screen.findByText("Dismissed: adds wrongly")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Undo dismissing adds wrongly" }));
  expect(await screen.findByRole("button", { name: /^Dismiss/ })).toBeInTheDocument();
  expect(screen.queryByText("Dismissed: adds wrongly")).not.toBeInTheDocument();

  await dismiss();
  await userEvent.click(await screen.findByRole("button", { name: "Resolved (1)" }));
  const [, among] = screen.getAllByRole("button", { name: "Undo dismissing adds wrongly" });
  await userEvent.click(among as HTMLElement);
  expect(await screen.findByRole("button", { name: /^Dismiss/ })).toBeInTheDocument();
  expect(screen.queryByText("Dismissed: adds wrongly")).not.toBeInTheDocument();
  expect(asked).toEqual(["dismiss", "reopen", "dismiss", "reopen"]);
});

it("has the agents fix an error", async () => {
  const asked = serving();
  renderWithCache(<ErrorsPanel projectId="p1" buildId="b1" />);
  await userEvent.click(await screen.findByRole("button", { name: /^Fix this error/ }));
  await waitFor(() => expect(asked).toEqual(["fix"]));
});

it("offers a new build that fixes an error of a sealed build", async () => {
  serving("sealed");
  renderWithCache(<ErrorsPanel projectId="p1" buildId="b1" />);
  await userEvent.click(await screen.findByRole("button", { name: /^Fix in a new build/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Start build" }));
  expect(await dialog.findByLabelText("Title")).toHaveValue("Fix: adds wrongly");
  expect(dialog.getByLabelText("Description")).toHaveValue(
    "Fix this error of an earlier build:\n\nadds wrongly",
  );
  await userEvent.click(dialog.getByRole("button", { name: "Advanced" }));
  const branch = await dialog.findByRole("combobox", { name: "Baseline branch" });
  expect(branch).toHaveValue("#1 Greet (forge/build-1)");
  expect(screen.queryByRole("button", { name: /^Fix this error/ })).not.toBeInTheDocument();
});

it("offers no actions to viewers", async () => {
  serving();
  const project = { role: "viewer", owner: { id: "u1", name: "Ada" } } as Project;
  renderWithCache(
    <ProjectRole value={project}>
      <ErrorsPanel projectId="p1" buildId="b1" />
    </ProjectRole>,
  );
  expect(await screen.findByText("adds wrongly")).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: /^Dismiss|^Fix/ })).not.toBeInTheDocument();
});
