import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Project } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { ProjectList } from "./project-list";

afterEach(() => vi.unstubAllGlobals());

const project = (name: string, day: number, more: Partial<Project> = {}) =>
  ({
    id: name,
    slug: name.toLowerCase(),
    name,
    description: "",
    role: "owner",
    origin: "hosted",
    owner: { id: "u1", name: "Ada" },
    created_at: `2026-11-${10 + day}T00:00:00Z`,
    updated_at: `2026-11-${10 + day}T00:00:00Z`,
    archived_at: null,
    last_build: null,
    open_questions: 0,
    max_concurrent_builds: 1,
    ...more,
  }) as Project;

/** A server with these projects. */
function serving(current: Project[], archived: Project[] = []) {
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const isArchived = new URL(url).searchParams.get("archived") === "true";
    return Response.json({ items: isArchived ? archived : current, next: null });
  });
  renderWithCache(<ProjectList connectForm={() => null} startFromWords={async () => "/"} />);
}
const names = () => screen.getAllByRole("heading", { level: 2 }).map((it) => it.textContent);

it("searches and orders projects", async () => {
  serving([
    project("Delta", 0, { description: "Counts sheep" }),
    project("Alpha", 1),
    project("Echo", 2),
    project("Bravo", 3),
    project("Charlie", 4, { description: "Counts words" }),
  ]);
  const order = await screen.findByRole("combobox", { name: "Order of projects" });
  expect(names()).toEqual(["Delta", "Alpha", "Echo", "Bravo", "Charlie"]);
  await userEvent.selectOptions(order, "Name");
  expect(names()).toEqual(["Alpha", "Bravo", "Charlie", "Delta", "Echo"]);
  await userEvent.selectOptions(order, "Recently active");
  expect(names()).toEqual(["Charlie", "Bravo", "Echo", "Alpha", "Delta"]);
  const search = screen.getByRole("searchbox", { name: "Search projects" });
  await userEvent.type(search, "counts SHEEP");
  expect(names()).toEqual(["Delta"]);
  await userEvent.type(search, "x");
  expect(screen.getByText("No project contains “counts SHEEPx”.")).toBeVisible();
});

it("lists archived projects on request", async () => {
  serving([project("Alpha", 1)], [project("Old", 2)]);
  expect(await screen.findByText("Alpha")).toBeVisible();
  expect(screen.queryByRole("searchbox")).not.toBeInTheDocument();
  await userEvent.click(await screen.findByRole("button", { name: "Archived projects (1)" }));
  expect(screen.getByRole("link", { name: "Old" })).toBeVisible();
});
