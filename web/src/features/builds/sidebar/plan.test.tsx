import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { ProjectRole } from "@/domain/project-access";
import type { Build, Project } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { Plan } from "./plan";
import { RunGates } from "./run-gates";

afterEach(() => vi.unstubAllGlobals());

const build = (more: object = {}) =>
  ({
    id: "b1",
    status: "blocked",
    gates_requested: false,
    phases: [
      {
        number: 0,
        title: "Lists",
        status: "skipped",
        plan: [],
        skipped: { by: { kind: "user", id: "u1", name: "Ada" }, reason: "started at phase 1" },
      },
      { number: 1, title: "Reports", status: "running", plan: [], skipped: null },
    ],
    ...more,
  }) as unknown as Build;

/** Shows the plan to someone with this role, and records what is posted. */
function show(shown: Build, role = "owner") {
  const posted: [string, unknown][] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = await request.text();
    posted.push([new URL(request.url).pathname, body ? JSON.parse(body) : null]);
    return Response.json({ seq: 1 }, { status: 202 });
  });
  renderWithCache(
    <ProjectRole value={{ role } as Project}>
      <Plan build={shown} />
      <RunGates build={shown} />
    </ProjectRole>,
  );
  return posted;
}

async function open(item: string) {
  await userEvent.click(screen.getByRole("button", { name: "Actions for phase 1" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
  return screen.findByRole("dialog");
}

it("shows who skipped a phase and why", () => {
  show(build());
  expect(screen.getByText("Skipped by Ada: started at phase 1")).toBeVisible();
});

it("retries the current phase with a reason and keeps its changes on request", async () => {
  const posted = show(build());
  const dialog = await open("Retry phase…");
  expect(within(dialog).getByRole("button", { name: "Retry phase" })).toBeDisabled();
  await userEvent.click(within(dialog).getByRole("checkbox", { name: /Discard the changes/ }));
  await userEvent.type(within(dialog).getByRole("textbox"), "wrong turn");
  await userEvent.click(within(dialog).getByRole("button", { name: "Retry phase" }));
  const body = { reason: "wrong turn", discard_changes: false };
  await waitFor(() => expect(posted).toEqual([["/api/builds/b1/phases/1/retry", body]]));
});

it("skips the current phase with a reason", async () => {
  const posted = show(build({ status: "awaiting_input" }));
  const dialog = await open("Skip phase…");
  expect(within(dialog).getByText(/never certified/)).toBeVisible();
  await userEvent.type(within(dialog).getByRole("textbox"), "not needed");
  await userEvent.click(within(dialog).getByRole("button", { name: "Skip phase" }));
  const body = { reason: "not needed" };
  await waitFor(() => expect(posted).toEqual([["/api/builds/b1/phases/1/skip", body]]));
});

it("says why a phase cannot be controlled while the build runs", async () => {
  show(build({ status: "running" }));
  await userEvent.click(screen.getByRole("button", { name: "Actions for phase 1" }));
  expect(await screen.findByRole("menuitem", { name: "Skip phase…" })).toBeDisabled();
  expect(screen.getByText("Pause the build first.")).toBeVisible();
});

it.each([
  ["running", "Queued: the gates run after the current step of the agent."],
  ["paused", "The gates are running."],
])("shows that requested gates of a %s build have not finished", (status, text) => {
  show(build({ status, gates_requested: true }));
  expect(screen.getByRole("button", { name: "Run gates now" })).toBeDisabled();
  expect(screen.getByText(text)).toBeVisible();
});

it.each(["running", "blocked"])("runs the gates of a %s build", async (status) => {
  const posted = show(build({ status }));
  await userEvent.click(screen.getByRole("button", { name: "Run gates now" }));
  await waitFor(() => expect(posted).toEqual([["/api/builds/b1/gates/run", null]]));
});

it("offers nothing to viewers", () => {
  show(build(), "viewer");
  expect(screen.queryByRole("button")).toBeNull();
});
