import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { SpecProject } from "./spec-project";

const REPORT = {
  valid: false,
  format: "sections",
  title: "Fines",
  requirements: [{ line: 2, label: null, text: "Fines", priority: "must" }],
  criteria: [{ line: 4, text: "It works", proof: { type: "command", command: "npm test" } }],
  phases: [],
  files: [],
  test_command: "npm test",
  has_tdd_plan: false,
  scope: [],
  missing: [
    { section: "overview", heading: "Overview", purpose: "It tells why.", expected: true },
    { section: "tdd_plan", heading: "TDD Plan", purpose: "It orders.", expected: false },
  ],
  errors: [{ line: 4, quoted: "- `../a`", text: "outside the repository" }],
  warnings: [],
};

let requests: { path: string; body: unknown }[] = [];

/** Replies by the end of the path. */
function serve(replies: Record<string, { status: number; body: object }>) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url, "http://localhost").pathname;
    requests.push({ path, body: await request.clone().json() });
    const end = Object.keys(replies).find((it) => path.endsWith(it)) ?? "";
    const { status, body } = replies[end] ?? { status: 404, body: {} };
    return Response.json(body, { status });
  });
}

beforeEach(() => {
  sessionStorage.clear();
  requests = [];
});

const name = () => screen.getByRole("textbox", { name: "Name" });
const spec = () => screen.getByRole("textbox", { name: "Spec" });
const create = () => userEvent.click(screen.getByRole("button", { name: "Create project" }));

it("shows what is read in the spec, with problems by line", async () => {
  serve({ "/specs/validate": { status: 200, body: REPORT } });
  renderWithCache(<SpecProject onClose={() => {}} />);
  await userEvent.type(spec(), "## Requirements");
  expect(await screen.findByText("This spec cannot be built yet")).toBeVisible();
  expect(screen.getByText(/outside the repository/)).toHaveTextContent("Line 4, - `../a`:");
  expect(screen.getByText("1 criterion")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "1 warning" }));
  expect(screen.getByText(/No “Overview”/)).toBeVisible();
  expect(screen.queryByText(/TDD Plan/)).toBeNull();
});

it("submits a corrected spec to the project that exists already", async () => {
  const onClose = vi.fn();
  const rejected = { status: 422, title: "No", detail: "No", fields: { text: "no pass criteria" } };
  serve({
    "/specs/validate": { status: 200, body: { ...REPORT, errors: [] } },
    "/projects": { status: 201, body: { id: "p9", slug: "fines" } },
    "/spec": { status: 422, body: rejected },
  });
  renderWithCache(<SpecProject onClose={onClose} />);
  await create();
  expect(await screen.findByText("Paste a spec, or upload files")).toBeVisible();
  await userEvent.type(name(), "Fines");
  await userEvent.type(spec(), "## Requirements");
  await create();
  expect(await screen.findByText("no pass criteria")).toBeVisible();
  expect(onClose).not.toHaveBeenCalled();

  serve({
    "/specs/validate": { status: 200, body: { ...REPORT, errors: [] } },
    "/spec": { status: 201, body: { version: 1, contracts: [], test_command: null } },
  });
  await create();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(requests.filter(({ path }) => path.endsWith("/projects"))).toHaveLength(1);
  const last = requests.filter(({ path }) => path.endsWith("/projects/p9/spec")).at(-1);
  expect(last?.body).toMatchObject({ text: "## Requirements" });
  expect(sessionStorage.length).toBe(0);
});

it("joins uploaded documents in the order in which they are read", async () => {
  serve({ "/specs/validate": { status: 200, body: REPORT } });
  renderWithCache(<SpecProject onClose={() => {}} />);
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("no file input");
  await userEvent.upload(input, [
    new File(["# Tasks\n"], "tasks.md", { type: "text/markdown" }),
    new File(["# Spec\n"], "spec.md", { type: "text/markdown" }),
  ]);
  await waitFor(() => expect(spec()).toHaveValue("# Spec\n\n# Tasks\n"));
});
