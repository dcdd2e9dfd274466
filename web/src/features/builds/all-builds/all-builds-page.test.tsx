import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router";
import { expect, it } from "vitest";
import type { Project } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import { AllBuildsPage } from "./all-builds-page";
import type { ListedBuild } from "./api";

const project = (id: string, name: string, role: "owner" | "viewer") =>
  ({ id, slug: id, name, role }) as Project;

const build = (part: Partial<ListedBuild>): ListedBuild => ({
  id: `b-${part.project_id}`,
  number: 3,
  title: "Due dates",
  project_id: "p-1",
  project_name: "Shelf",
  project_slug: "shelf",
  group: "running",
  waits_for: "model",
  status: "running",
  verdict: null,
  review: null,
  blocked_reason: null,
  blocked_text: null,
  open_questions: 0,
  open_errors: 0,
  phase_count: 4,
  phases_done: 1,
  created_at: new Date().toISOString(),
  finished_at: null,
  heartbeat: null,
  used: {
    working_ms: 65_000,
    is_working: false,
    tokens: 12_000,
    budget_tokens: null,
    usd_micros: 1_200_000,
    budget_usd_micros: 5_000_000,
  },
  ...part,
});

const counts = { needs_answer: 2, running: 1, queued: 0, in_review: 0, finished: 40 };

function Address() {
  return <output>{useLocation().search}</output>;
}

function show(items: ListedBuild[], next: string | null = null) {
  const projects = [project("p-1", "Shelf", "owner"), project("p-2", "Shared", "viewer")];
  renderWithClient(
    <MemoryRouter>
      <AllBuildsPage projects={projects} />
      <Address />
    </MemoryRouter>,
    (client) => {
      client.setDefaultOptions({ queries: { staleTime: Number.POSITIVE_INFINITY } });
      const data = { pages: [{ items, next, counts }], pageParams: [""] };
      client.setQueryData(keys.allBuilds(null, null), data);
      client.setQueryData(keys.allBuilds("running", null), data);
      client.setQueryData(keys.allBuilds("running", "p-2"), data);
    },
  );
}

it("shows each build in its group, with what it has used and for whom it waits", () => {
  const asks = { group: "needs_answer", waits_for: "answer", status: "awaiting_input" } as const;
  show([
    build({ ...asks, project_id: "p-2", project_name: "Shared" }),
    build({
      project_id: "p-1",
      waits_for: "commands",
      heartbeat: {
        step: "Implementation, step 2 of 5",
        progress_percent: 32,
        memory_bytes: 341_000_000,
        cpu_percent: 120,
      },
    }),
    build({ id: "old", title: null, group: "finished", waits_for: null, used: null }),
  ]);
  const group = (name: string) => within(screen.getByRole("region", { name }));
  expect(group("Needs an answer").getByText("Waits for the owner’s answer")).toBeInTheDocument();
  const running = group("Running").getByRole("link", { name: /#3 Due dates Shelf/ });
  expect(running).toHaveAttribute("href", "/projects/shelf/builds/3");
  expect(running).toHaveTextContent("Implementation, step 2 of 5 · 32%");
  expect(running).toHaveTextContent("Waits for gates and commands · 120% CPU, 341 MB");
  expect(running).toHaveTextContent("Phase2 of 4");
  expect(running).toHaveTextContent("Working time1m 05s");
  expect(running).toHaveTextContent("Tokens12K");
  expect(running).toHaveTextContent("Cost$1.20 of $5.00");
  expect(group("Finished").getByRole("link")).toHaveTextContent("Not recorded");
  expect(screen.queryByRole("region", { name: "Queued" })).toBeNull();
});

it("counts the builds of all pages", () => {
  show([build({})], "1.b");
  expect(screen.getByRole("radio", { name: "All 43" })).toBeChecked();
  expect(screen.getByRole("radio", { name: "Finished 40" })).not.toBeChecked();
  expect(screen.getByText("1 of 43")).toBeInTheDocument();
});

it("keeps the filter in the address", async () => {
  show([build({})]);
  await userEvent.click(screen.getByRole("radio", { name: /^Running/ }));
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Project" }), "Shared");
  expect(screen.getByRole("status")).toHaveTextContent("?group=running&project=p-2");
});
