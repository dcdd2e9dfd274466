import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { renderWithCache } from "@/testing/render";
import { StartBuild } from "./start-build";

const budgets = {
  iterations: 10,
  minutes: 120,
  tokens: null,
  usd_micros: 5_000_000,
  clarifications: 10,
  permission_prompts: 200,
  doom_loop: 3,
};
const BRANCHES = [
  { name: "main", sha: "aaaaaaaaaa", is_default: true, build_id: null, build_title: null },
  {
    name: "forge/build-1",
    sha: "bbbb",
    is_default: false,
    build_id: "1",
    build_number: 1,
    build_title: "Greet",
  },
];
const SNAPSHOTS = [
  {
    id: "s1",
    build_id: "b0",
    build_number: 2,
    build_title: null,
    created_at: "2026-11-21T20:25:00Z",
    contracts: [{ type: "phases", version: 3 }],
  },
];
const obstacle = { kind: "model", message: "No model is configured: set a key." };

/** Serves readiness and records the posted builds. */
function serve(obstacles: object[], changed: object = {}) {
  const posted: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "POST") {
      posted.push(await request.json());
      return Response.json({ id: "b1" }, { status: 201 });
    }
    const path = new URL(request.url).pathname;
    if (path.endsWith("/branches")) return Response.json({ items: BRANCHES });
    if (path.endsWith("/snapshots")) return Response.json({ items: SNAPSHOTS, next: null });
    const ready = {
      budgets,
      installation_budgets: budgets,
      installation_limits: INHERITED_LIMITS,
      project_limits: { ...INHERITED_LIMITS, usd_micros: 5_000_000 },
      needs_limit: false,
      suggested_usd_micros: 2_000_000,
      estimate: null,
      plan_approval: "never",
      executor: "builtin",
      executors: [
        { executor: "builtin", label: "Built-in agent", version: null, obstacle: null },
        { executor: "claude_code", label: "Claude Code", version: "2.1.44", obstacle: null },
        {
          executor: "codex",
          label: "Codex",
          version: null,
          obstacle: "codex was not found on this node",
        },
      ],
      model: "m-1",
      models: [
        { role: "scout", model: "anthropic/m-1", fixed_by: "FORGEGUARD_MODEL_SCOUT" },
        { role: "coder", model: "anthropic/m-1", fixed_by: null },
      ],
      phases: [
        { number: 0, title: "Lists" },
        { number: 1, title: "Reports" },
      ],
      obstacles,
      warnings: [],
      ...changed,
    };
    return Response.json(ready);
  });
  renderWithCache(<StartBuild projectId="p1" />);
  return posted;
}
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

it("starts a build immediately if nothing prevents it", async () => {
  const posted = serve([]);
  await press("Start build");
  await waitFor(() => expect(posted).toEqual([{}]));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("shows what prevents the build and does not start it", async () => {
  const posted = serve([obstacle]);
  await press("Start build");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  expect(await within(dialog).findByText(/set a key/)).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Start build" })).toBeDisabled();
  expect(posted).toEqual([]);
});

it("starts a build with the given limits", async () => {
  const posted = serve([]);
  await press("Start options");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  await userEvent.click(await within(dialog).findByRole("button", { name: "Limits and options" }));
  const dollars = await within(dialog).findByRole("textbox", { name: "US dollars" });
  expect(dollars).toHaveAttribute("placeholder", "Project: 5");
  await userEvent.type(dollars, "2.5");
  await userEvent.click(
    within(dialog).getByRole("checkbox", { name: "No limit: Working time (minutes)" }),
  );
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([
      { budgets: { ...INHERITED_LIMITS, usd_micros: 2_500_000, minutes: "unlimited" } },
    ]),
  );
});

it("asks for a limit with a suggestion if the model is paid", async () => {
  const posted = serve([], { needs_limit: true });
  await press("Start build");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  expect(await within(dialog).findByRole("textbox", { name: "US dollars" })).toHaveValue("2");
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Title" }), "Greet");
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([
      { title: "Greet", budgets: { ...INHERITED_LIMITS, usd_micros: 2_000_000 } },
    ]),
  );
});

it("starts a build from the chosen branch, contracts, phase and model", async () => {
  const posted = serve([]);
  await press("Start options");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  await userEvent.click(await within(dialog).findByRole("button", { name: "Advanced" }));
  const choose = async (field: string, option: RegExp) => {
    await userEvent.click(await within(dialog).findByRole("combobox", { name: field }));
    await userEvent.click(await screen.findByRole("option", { name: option, hidden: true }));
  };
  await choose("Baseline branch", /#1 Greet \(forge\/build-1\)/);
  await choose("Contracts", /^#2, .*: Phases 3/);
  await choose("First phase", /1\. Reports/);
  expect(within(dialog).getByRole("textbox", { name: "Model of the scout" })).toBeDisabled();
  const coder = within(dialog).getByRole("textbox", { name: "Model of the coder" });
  expect(coder).toHaveAttribute("placeholder", "anthropic/m-1");
  await userEvent.type(coder, "anthropic/m-2");
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([
      {
        budgets: INHERITED_LIMITS,
        baseline_branch: "forge/build-1",
        snapshot: "s1",
        first_phase: 1,
        models: { coder: "anthropic/m-2" },
      },
    ]),
  );
});

it("starts a build with another coding agent, of those that can be used", async () => {
  const posted = serve([]);
  await press("Start options");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  await userEvent.click(await within(dialog).findByRole("button", { name: "Limits and options" }));
  const field = within(dialog).getByRole("combobox", { name: "Coding agent" });
  expect(field).toHaveAttribute("placeholder", "Project: Built-in agent");
  await userEvent.click(field);
  const unusable = await screen.findByRole("option", { name: /^Codex/, hidden: true });
  expect(unusable).toHaveTextContent("Codex (not available)");
  await userEvent.click(
    await screen.findByRole("option", { name: "Claude Code 2.1.44", hidden: true }),
  );
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([{ budgets: INHERITED_LIMITS, executor: "claude_code" }]),
  );
});

it("starts a build with another coding agent in one phase", async () => {
  const posted = serve([]);
  await press("Start options");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  await userEvent.click(await within(dialog).findByRole("button", { name: "Limits and options" }));
  await userEvent.click(within(dialog).getByRole("button", { name: /agent for each phase/ }));
  const field = within(dialog).getByRole("combobox", { name: "Phase 1: Reports" });
  expect(field).toHaveAttribute("placeholder", "Build: Built-in agent");
  await userEvent.click(field);
  const options = await screen.findAllByRole("option", {
    name: "Claude Code 2.1.44",
    hidden: true,
  });
  await userEvent.click(options.at(-1) as HTMLElement);
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([
      { budgets: INHERITED_LIMITS, phase_executors: [{ phase: 1, executor: "claude_code" }] },
    ]),
  );
});
